import Dispatch
import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads `file:` URLs piece by piece on a dispatch queue.
///
/// Reads any regular file that the process may read. Pass folders to the initializer to restrict it to them. The check
/// applies to the opened file after all symbolic links are resolved, so `..`, links and races can't bypass it. Pipes,
/// devices and folders are rejected. A redirect can't lead to a file: HTTP transports only follow http and https.
public struct FileTransport: DataTransport {
    /// The maximum number of bytes in a piece.
    static let pieceBytes = 256 << 10

    private let folders: [URL]?
    private let queue = DispatchQueue(label: "image-files", attributes: .concurrent)

    /// Creates a transport for files.
    ///
    /// - Parameter folders: The folders whose files may be read, including subfolders. `nil` allows all files.
    public init(confinedTo folders: [URL]? = nil) {
        self.folders = folders
    }

    /// Opens a file and returns its content as the body of a 200 response.
    ///
    /// - Throws: `.notFound` if the file doesn't exist, `.invalidURL` if the URL isn't a local `file:` URL, `.tooLarge`
    ///   if the file exceeds `maxBodyBytes`, and `.other` if the file can't be read, is outside the allowed folders or
    ///   isn't a regular file.
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
