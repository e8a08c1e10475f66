#if canImport(Glibc)
    private import Glibc
#else
    private import Darwin
#endif

/// FeedServer in a process of its own, on a free port of this machine. It ends with our end of its standard input, so also when we crash.
@MainActor public final class OriginProcess {
    public enum Failure: Error {
        /// There is none beside this program.
        case notFound(String)
        /// It did not start, or said nothing of a port.
        case notStarted
    }

    /// `http://127.0.0.1:port`
    public let address: String
    private let process: pid_t
    private let lifeline: Int32
    private var isStopped = false

    /// - Parameters:
    ///   - program: `feed-server`.
    ///   - options: its options, as on a command line.
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
        unsafe posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        let status = unsafe posix_spawn(&process, program, &actions, nil, arguments, environ)
        unsafe posix_spawn_file_actions_destroy(&actions)
        close(input.reading)
        close(output.writing)
        defer { close(output.reading) }
        (self.process, lifeline) = (process, input.writing)
        let greeting = status == 0 ? output.firstLine().split(separator: " ") : []
        address = greeting.last.map(String.init) ?? ""
        guard address.hasPrefix("http") else { throw .notStarted }
    }

    /// The FeedServer that the environment variable FEED_SERVER names, or the one that SwiftPM builds beside this program. Tests in a debug
    /// build name one that was built in release: it draws images several times as fast.
    public static var program: String {
        if let program = unsafe getenv("FEED_SERVER") { return unsafe String(cString: program) }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &path, path.count)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)]) + "/feed-server"
    }

    isolated deinit { stop() }

    /// Ends it at once: connections break, and further ones are refused.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        close(lifeline)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// Two ends that no other program inherits.
private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws(OriginProcess.Failure) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw .notStarted }
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw .notStarted }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Blocks until there is one, or the other end is closed.
    func firstLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(reading, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
