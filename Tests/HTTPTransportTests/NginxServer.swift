import CommandRunning
import Foundation
import LoopbackServer
import Testing

/// An nginx server with HTTP/2 over TLS. It has a temporary certificate authority and serves a folder of files.
final class NginxServer: Sendable {
    private static let nginxPath = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let opensslPath = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    /// Whether nginx and openssl are installed.
    static let isAvailable = nginxPath != nil && opensslPath != nil

    struct Broken: Error { var text: String }

    /// The path of the certificate authority that signed the certificate for localhost.
    let rootsFile: String
    private let folder: URL
    private let reservedPort: RefusingPort
    private let daemon: pid_t

    /// - Parameter files: The files to serve, by name.
    init(files: [String: [UInt8]]) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "files"), withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: "files/\(name)")) }
        rootsFile = folder.appending(path: "ca.pem").path
        try await Self.makeCertificates(in: folder)
        reservedPort = try RefusingPort()
        try Data(Self.configuration(folder.path, port: reservedPort.port).utf8).write(
            to: folder.appending(path: "nginx.conf"))
        // The daemon is listening when the command exits.
        let configuration = folder.appending(path: "nginx.conf").path
        try await Self.run(
            Self.nginxPath, ["-c", configuration, "-e", folder.appending(path: "error.log").path], in: folder)
        let text = try String(contentsOf: folder.appending(path: "nginx.pid"), encoding: .utf8)
        guard let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Broken(text: "nginx wrote no process identifier: \(text)")
        }
        daemon = number
    }

    deinit {
        kill(daemon, SIGKILL)
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record("can't remove the folder of nginx: \(error)")
        }
    }

    var port: UInt16 { reservedPort.port }

    func url(_ path: String, host: String = "localhost") throws -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else { throw Broken(text: path) }
        return url
    }

    /// Returns nginx's log, with a line "protocol path status connection" per completed request.
    func log() throws -> [String] {
        try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8).split(separator: "\n").map(
            String.init)
    }

    private static func configuration(_ folder: String, port: UInt16) -> String {
        """
        daemon on; master_process off; pid \(folder)/nginx.pid; error_log \(folder)/error.log;
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

    private static func makeCertificates(in folder: URL) async throws {
        let extensions = "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n"
        try Data(extensions.utf8).write(to: folder.appending(path: "ext"))
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let authority =
            ["req", "-x509"] + key + [
                "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2",
            ]
        let request = ["req"] + key + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"]
        let signature = [
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
            "server.pem", "-days", "2", "-extfile", "ext",
        ]
        for arguments in [authority, request, signature] { try await run(opensslPath, arguments, in: folder) }
    }

    private static func run(_ command: String?, _ arguments: [String], in folder: URL) async throws {
        let result = try await CommandResult.run(command ?? "", arguments, in: folder.path)
        guard result.status == 0 else {
            throw Broken(text: "\(command ?? "") \(arguments.joined(separator: " ")) failed")
        }
    }
}
