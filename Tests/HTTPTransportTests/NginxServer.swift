import Foundation
import HTTPTransports
import ImageTransporting
import LoopbackServer

/// A real nginx with HTTP/2 over TLS, a certificate of an authority made for the occasion, and a folder of files.
final class NginxServer: Sendable {
    private static let nginxPath = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let opensslPath = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    /// Whether the commands are installed.
    static let isAvailable = nginxPath != nil && opensslPath != nil

    struct Broken: Error { var text: String }

    /// The authority that signed the certificate for localhost.
    let rootsFile: String
    private let folder: URL
    private let port: UInt16
    private let process: Process

    /// - Parameter files: what is served, by name.
    init(files: [String: [UInt8]]) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "files"), withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: "files/\(name)")) }
        rootsFile = folder.appending(path: "ca.pem").path
        try Self.makeCertificates(in: folder)
        port = try Self.freePort()
        try Data(Self.configuration(folder.path, port: port).utf8).write(to: folder.appending(path: "nginx.conf"))
        process = Process()
        process.executableURL = URL(filePath: Self.nginxPath ?? "")
        process.arguments = [
            "-c", folder.appending(path: "nginx.conf").path, "-e", folder.appending(path: "error.log").path,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await waitUntilListening()
    }

    /// Nginx does not say when it listens; asking is the only way to know.
    private func waitUntilListening() async throws {
        guard let transport = HTTPTransport.allCases.first?.make() else { return }
        let request = TransportRequest(url: try url("/"))
        while process.isRunning {
            guard case .connectionFailed = await failure(transport, request) else { return }
            await Task.yield()
        }
        let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
        throw Broken(text: "nginx does not start: \(log ?? "")")
    }

    deinit {
        // Children of the cooperative pool's threads inherit a mask that blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String, host: String = "localhost") throws -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else { throw Broken(text: path) }
        return url
    }

    /// "protocol path status connection" per request that is done, as nginx logs it.
    func log() throws -> [String] {
        try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8).split(separator: "\n").map(
            String.init)
    }

    private static func freePort() throws -> UInt16 {
        try RefusingPort().port
    }

    private static func configuration(_ folder: String, port: UInt16) -> String {
        """
        daemon off; master_process off; pid \(folder)/nginx.pid; error_log \(folder)/error.log;
        events { worker_connections 256; }
        http {
          log_format plain '$server_protocol $request_uri $status $connection';
          access_log \(folder)/access.log plain;
          client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2; fastcgi_temp_path \(folder)/t3;
          uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
          server {
            listen 127.0.0.1:\(port) ssl http2;
            ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
            root \(folder)/files;
            location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
            location /downgrade { return 302 http://localhost:\(port)/a; }
          }
        }
        """
    }

    private static func makeCertificates(in folder: URL) throws {
        let extensions = "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n"
        try Data(extensions.utf8).write(to: folder.appending(path: "ext"))
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try openssl(
            ["req", "-x509"] + key + [
                "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2",
            ], folder)
        try openssl(["req"] + key + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"], folder)
        try openssl(
            [
                "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                "server.pem",
                "-days", "2", "-extfile", "ext",
            ], folder)
    }

    private static func openssl(_ arguments: [String], _ folder: URL) throws {
        try run(opensslPath, arguments, in: folder)
    }

    private static func run(_ command: String?, _ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: command ?? "")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Broken(text: "\(command ?? "") \(arguments.joined(separator: " ")) failed")
        }
    }
}
