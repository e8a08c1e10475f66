#if canImport(Glibc)
    private import Glibc
#else
    private import Darwin
#endif

/// A child process that runs FeedServer on a free port. It stops when its standard input is closed, also if this
/// process crashes.
@MainActor public final class OriginProcess {
    /// An error while starting the process.
    public enum Failure: Error {
        /// There is no executable at this path.
        case notFound(String)
        /// The process didn't start, or didn't print its port.
        case notStarted
    }

    /// The base URL, such as `http://127.0.0.1:8080`.
    public let address: String
    private let process: pid_t
    private let standardInput: Int32
    private var isStopped = false

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - program: The path of `feed-server`.
    ///   - options: The command-line options.
    public init(_ program: String, options: [String]) throws(Failure) {
        guard unsafe access(program, X_OK) == 0 else { throw .notFound(program) }
        let (input, output) = (try Pipe(), try Pipe())
        var process: pid_t = 0
        let words = [program, "--port", "0", "--until-input-ends"] + options
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in words { unsafe arguments.append(strdup(word)) }
        unsafe arguments.append(nil)
        defer { for index in words.indices { unsafe free(arguments[index]) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, input.readEnd, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writeEnd, STDOUT_FILENO)
        let status = unsafe posix_spawn(&process, program, &actions, nil, arguments, environ)
        unsafe posix_spawn_file_actions_destroy(&actions)
        close(input.readEnd)
        close(output.writeEnd)
        defer { close(output.readEnd) }
        (self.process, standardInput) = (process, input.writeEnd)
        let greeting = status == 0 ? output.firstLine().split(separator: " ") : []
        address = greeting.last.map(String.init) ?? ""
        guard address.hasPrefix("http") else { throw .notStarted }
    }

    /// The path in the environment variable FEED_SERVER, or that of the executable in the same folder as this program.
    ///
    /// Tests in debug builds set the variable to a release build, which draws images several times as fast.
    public static var program: String {
        if let program = unsafe getenv("FEED_SERVER") { return unsafe String(cString: program) }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &path, path.count)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)]) + "/feed-server"
    }

    isolated deinit { stop() }

    /// Kills the process. Connections break, and new ones are refused.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        close(standardInput)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// A pipe that other child processes don't inherit.
private struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(OriginProcess.Failure) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw .notStarted }
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw .notStarted }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Reads a line. Blocks until the line is complete or the other end is closed.
    func firstLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(readEnd, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
