import CommandRunning
public import Foundation
import LoopbackServer
import Synchronization

/// A Redis server with a temporary folder. It listens on a Unix socket, and on demand on a TCP port with TLS. It ends when
/// this object is released.
public final class RedisServerProcess: Sendable {
    /// The options of a server.
    public struct Options: Sendable {
        /// Whether the server also listens on `tlsPort`.
        public var usesTLS = false
        /// The password of the default user.
        public var password: String?
        /// Further lines of the configuration file.
        public var lines: [String] = []

        /// Creates options of a server with a Unix socket only.
        public init(usesTLS: Bool = false, password: String? = nil, lines: [String] = []) {
            self.usesTLS = usesTLS
            self.password = password
            self.lines = lines
        }
    }

    /// Why a server can't be started or controlled.
    public struct Failure: Error, CustomStringConvertible {
        /// What failed, and how to repair it.
        public let description: String
    }

    /// The path of the Unix socket.
    public let socketPath: String
    /// The path of the certificate authority that signed the certificate for localhost. Only exists with TLS.
    public let rootsFile: String
    private let folder: URL
    private let options: Options
    private let reservedPort: RefusingPort
    private let process = Mutex<pid_t?>(nil)

    /// Starts a server, and returns when it replies.
    ///
    /// - Throws: `Failure` if redis-server is not installed or doesn't start.
    public init(_ options: Options = Options()) async throws {
        // The path of a socket has at most 107 bytes.
        folder = URL(filePath: "/tmp/redis-\(UUID().uuidString.prefix(13))")
        socketPath = folder.path + "/socket"
        rootsFile = folder.path + "/ca.pem"
        self.options = options
        reservedPort = try RefusingPort()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if options.usesTLS { try await makeCertificates() }
        try Data(configuration.utf8).write(to: folder.appending(path: "redis.conf"))
        try await start()
    }

    deinit {
        if let process = process.withLock({ $0 }) {
            // A stopped process also ends.
            Self.send(SIGKILL, to: process)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL of the Unix socket.
    public var url: URL { URL(filePath: socketPath).withScheme("unix") }

    /// The port with TLS on 127.0.0.1.
    public var tlsPort: UInt16 { reservedPort.port }

    /// Starts the server, and returns when it replies. Its data is that of the last `SAVE` command.
    public func start() async throws {
        let server = try Self.path(of: "redis-server", package: "redis-server")
        try await Self.run(server, [folder.path + "/redis.conf"], in: folder)
        // It replies LOADING or refuses connections until it is ready.
        var attempts = 0
        while try await command(["PING"], mayFail: true) != "PONG" {
            attempts += 1
            if attempts > 1_000 {
                let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
                throw Failure(description: "redis-server doesn't reply: \(log)")
            }
        }
        let text = try String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
        let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
        guard number != nil else { throw Failure(description: "redis-server wrote no process identifier: \(text)") }
        process.withLock { $0 = number }
    }

    /// Ends the server as `SIGKILL` does. Returns when it no longer replies.
    public func crash() async throws {
        guard let ended = process.withLock({ $0.take() }) else { return }
        Self.send(SIGKILL, to: ended)
        while try await command(["PING"], mayFail: true) == "PONG" {}
    }

    /// Sends a signal, for example `SIGSTOP` and `SIGCONT`.
    public func signal(_ number: Int32) {
        if let process = process.withLock({ $0 }) { Self.send(number, to: process) }
    }

    /// Runs a command with redis-cli, and returns its output without the last line end.
    @discardableResult
    public func command(_ arguments: String...) async throws -> String { try await command(arguments, mayFail: false) }

    @discardableResult
    private static func send(_ signal: Int32, to process: pid_t) -> Int32 { kill(process, signal) }

    private func command(_ arguments: [String], mayFail: Bool) async throws -> String {
        let client = try Self.path(of: "redis-cli", package: "redis-tools")
        let password = options.password.map { ["--no-auth-warning", "-a", $0] } ?? []
        let result = try await CommandResult.run(client, ["-s", socketPath] + password + arguments)
        let output = String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard mayFail || result.status == 0 && !output.hasPrefix("ERR") else {
            throw Failure(description: "redis-cli \(arguments.joined(separator: " ")): \(output)")
        }
        return output
    }

    private var configuration: String {
        var lines = [
            "daemonize yes", "dir \(folder.path)", "pidfile \(folder.path)/pid", "logfile \(folder.path)/log",
            "unixsocket \(socketPath)", "unixsocketperm 700", "bind 127.0.0.1", "port 0",
            "save \"\"", "appendonly no",
        ]
        if let password = options.password { lines.append("requirepass \(password)") }
        if options.usesTLS {
            lines += [
                "tls-port \(tlsPort)", "tls-cert-file \(folder.path)/server.pem",
                "tls-key-file \(folder.path)/server.key", "tls-ca-cert-file \(rootsFile)", "tls-auth-clients no",
            ]
        }
        return (lines + options.lines).joined(separator: "\n") + "\n"
    }

    private func makeCertificates() async throws {
        let openssl = try Self.path(of: "openssl", package: "openssl")
        let extensions = "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n"
        try Data(extensions.utf8).write(to: folder.appending(path: "ext"))
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let authority = ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2"]
        let request = ["req"] + key + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"]
        let signature = [
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
            "server.pem", "-days", "2", "-extfile", "ext",
        ]
        for arguments in [["req", "-x509"] + key + authority, request, signature] {
            try await Self.run(openssl, arguments, in: folder)
        }
    }

    /// Returns the path of a command in `PATH`.
    private static func path(of command: String, package: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let candidates = folders.map { "\($0)/\(command)" }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(
                description: """
                    \(command) is not in PATH: run Scripts/bootstrap --for-tests, or apt-get install \(package)
                    """)
        }
        return path
    }

    private static func run(_ command: String, _ arguments: [String], in folder: URL) async throws {
        let result = try await CommandResult.run(command, arguments, in: folder.path)
        guard result.status == 0 else {
            let text = String(decoding: result.output + result.errors, as: UTF8.self)
            throw Failure(description: "\(command) \(arguments.joined(separator: " ")) failed: \(text)")
        }
    }
}

extension URL {
    fileprivate func withScheme(_ scheme: String) -> URL { URL(string: "\(scheme)://\(path)") ?? self }
}
