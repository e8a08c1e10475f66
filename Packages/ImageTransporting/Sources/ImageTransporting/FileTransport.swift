import Dispatch
import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads `file:` URLs, piece by piece, on a queue of its own.
///
/// It reads any regular file that the app asks for and the system permits, unless confined to folders. Confinement looks at
/// the file that was really opened, after every symbolic link, so neither `..` nor a link nor a race leads outside.
/// Pipes, devices and folders are refused. Redirects never lead to a file: HTTP transports allow http and https alone.
public struct FileTransport: DataTransport {
    /// Bytes of one piece at most.
    static let pieceBytes = 256 << 10

    private let folders: [URL]?
    private let queue = DispatchQueue(label: "image-files", attributes: .concurrent)

    /// - Parameter folders: only what is in these, or below, may be read; nil for everything.
    public init(confinedTo folders: [URL]? = nil) {
        self.folders = folders
    }

    /// Throws `.notFound` when there is no such file, `.invalidURL` when the URL is no local `file:` URL, and `.other` when
    /// the file may not be read, is outside the folders or is no regular file.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let path = try localPath(request.url)
        if Task.isCancelled { throw .cancelled }
        let folders = folders?.map { $0.path(percentEncoded: false) }
        let file = try await onQueue { () throws(TransportFailure) in try OpenFile(path: path, confinedTo: folders) }
        guard file.byteCount <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        let head = ResponseHead(
            status: .ok, headers: [.contentLength: "\(file.byteCount)"], url: request.url, expectedBytes: file.byteCount
        )
        guard request.method != .head else { return TransportResponse(head: head, body: TransportBody(Data())) }
        return TransportResponse(
            head: head,
            body: TransportBody(pull: { () async throws(TransportFailure) in try await nextPiece(of: file) }))
    }

    private func nextPiece(of file: OpenFile) async throws(TransportFailure) -> Data? {
        if Task.isCancelled { throw .cancelled }
        let piece = try await onQueue { () throws(TransportFailure) in try file.read(atMost: Self.pieceBytes) }
        if Task.isCancelled { throw .cancelled }
        return piece
    }

    private func localPath(_ url: URL) throws(TransportFailure) -> String {
        let host = url.host() ?? ""
        let path = url.path(percentEncoded: false)
        guard url.scheme?.lowercased() == "file", host.isEmpty || host.lowercased() == "localhost", path.hasPrefix("/"),
            !path.utf8.contains(0)
        else { throw .invalidURL("not the URL of a local file: \(url.absoluteString)") }
        return path
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(TransportFailure) -> Value
    ) async throws(TransportFailure) -> Value {
        let result: Result<Value, TransportFailure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(TransportFailure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
