import Dispatch
import HTTPTypes
public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files that `file:` URLs can name.
@nonexhaustive
public enum FileAccess: Hashable, Sendable {
    /// All files that the process can read.
    case all
    /// The files in these folders and their subfolders.
    ///
    /// The check applies to the opened file after all links are resolved, so `..`, links and races can't bypass it.
    case folders([URL])
    /// No file.
    case disabled

    /// The folders that are allowed; nil for all.
    fileprivate var folders: [URL]? {
        switch self {
        case .all: nil
        case .folders(let folders): folders
        case .disabled: []
        }
    }
}

/// Reads `file:` URLs piece by piece on a dispatch queue.
///
/// Reads regular files only, no pipes and devices. HTTP redirects never lead to a file.
public struct FileTransport: DataTransport {
    static let pieceBytes = 256 << 10

    private let access: FileAccess
    private let queue = DispatchQueue(label: "image-files", attributes: .concurrent)

    /// Creates a transport for `file:` URLs.
    ///
    /// - Parameter access: The files that may be read.
    public init(_ access: FileAccess = .all) { self.access = access }

    /// Returns the content of a file as the body of a 200 response.
    ///
    /// - Throws: `.notFound`, `.invalidURL` if the URL isn't a local `file:` URL, `.tooLarge`, and `.other` if the
    ///   file can't be read, is outside the folders or isn't a regular file.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = try localPath(request.url)
        if Task.isCancelled { throw .cancelled }
        let folders = access.folders?.map(\.pathBytes)
        let file = try await onQueue { () throws(TransportError) in try OpenFile(path: path, confinedTo: folders) }
        let delivered = request.method == .head ? 0 : file.byteCount
        guard delivered <= request.bodyByteLimit else { throw .tooLarge(byteLimit: request.bodyByteLimit) }
        let head = ResponseHead(
            status: .ok, headers: [.contentLength: "\(file.byteCount)"], url: request.url, expectedByteCount: delivered)
        guard request.method != .head else { return TransportResponse(head: head, body: TransportBody(Data())) }
        return TransportResponse(
            head: head,
            body: TransportBody(pull: { () async throws(TransportError) in try await nextPiece(of: file) }))
    }

    private func nextPiece(of file: OpenFile) async throws(TransportError) -> Data? {
        if Task.isCancelled { throw .cancelled }
        return try await onQueue { () throws(TransportError) in try file.read(atMost: Self.pieceBytes) }
    }

    private func localPath(_ url: URL) throws(TransportError) -> [UInt8] {
        let host = url.host() ?? ""
        let path = url.pathBytes
        guard url.scheme?.lowercased() == "file", host.isEmpty || host.lowercased() == "localhost",
            path.first == UInt8(ascii: "/"), !path.contains(0)
        else { throw .invalidURL("not the URL of a local file: \(url.absoluteString)") }
        return path
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(TransportError) -> Value
    ) async throws(TransportError) -> Value {
        let result: Result<Value, TransportError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}

extension URL {
    /// The decoded path. Names of files are bytes, and needn't be UTF-8.
    fileprivate var pathBytes: [UInt8] { Array(path(percentEncoded: true).utf8)[...].percentDecoded }
}

/// A regular file that is open until this object is released. Its methods block.
final class OpenFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let path: String
    private let offset = Mutex(0)

    init(path bytes: [UInt8], confinedTo folders: [[UInt8]]?) throws(TransportError) {
        path = String(decoding: bytes, as: UTF8.self)
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = unsafe open(bytes.cString, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = Self.failure(errno, path)
            if let folders, Self.leads(bytes, outOf: folders) { throw Self.outside(path) }
            throw failure
        }
        self.descriptor = descriptor
        var status = stat()
        let isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        byteCount = Int(status.st_size)
        // From here on, `deinit` closes the descriptor if the initializer throws.
        if let folders, !Self.contains(folders, realPath(ofOpen: descriptor)) {
            throw Self.outside(path)
        }
        guard isRegular else { throw .other("\(path) is not a regular file") }
    }

    deinit { close(descriptor) }

    /// Returns the next bytes, or nil at the end. Throws `.closedEarly` if the file was truncated after it was opened.
    func read(atMost limit: Int) throws(TransportError) -> Data? {
        let start = offset.withLock { $0 }
        let wanted = min(limit, byteCount - start)
        guard wanted > 0 else { return nil }
        var piece = Data(count: wanted)
        let count = unsafe piece.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, wanted, off_t(start))
        }
        guard count >= 0 else { throw .other("can't read \(path): \(Self.reason(errno))") }
        guard count > 0 else { throw .closedEarly(received: start, expected: byteCount) }
        offset.withLock { $0 += count }
        return count == wanted ? piece : piece.prefix(count)
    }

    /// Compares bytes: as text, `é` is equal to `e` and an accent, which is another folder.
    private static func contains(_ folders: [[UInt8]], _ path: [UInt8]?) -> Bool {
        guard let path else { return false }
        let slash = UInt8(ascii: "/")
        return folders.contains { folder in
            guard let real = realPath(of: folder) else { return false }
            return path.starts(with: real.last == slash ? real : real + [slash])
        }
    }

    /// Whether a path that can't be opened leaves the folders, as far as it exists. A link to nothing leaves them too, so
    /// that no failure tells which files exist outside.
    private static func leads(_ path: [UInt8], outOf folders: [[UInt8]]) -> Bool {
        let slash = UInt8(ascii: "/")
        var existing = path[...]
        while true {
            if let real = realPath(of: Array(existing)) { return !contains(folders, real + [slash]) }
            if isLink(Array(existing)) { return true }
            guard let end = existing.lastIndex(of: slash), end > 0 else { return true }
            existing = existing[..<end]
        }
    }

    private static func outside(_ path: String) -> TransportError { .other("\(path) is outside the allowed folders") }

    private static func failure(_ code: Int32, _ path: String) -> TransportError {
        code == ENOENT || code == ENOTDIR ? .notFound(path) : .other("\(path): \(reason(code))")
    }

    private static func reason(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

extension [UInt8] {
    /// The bytes and the zero that ends a text in C.
    fileprivate var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

private func isLink(_ path: [UInt8]) -> Bool {
    var status = stat()
    return unsafe lstat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}

private func realPath(of path: [UInt8]) -> [UInt8]? {
    guard let real = unsafe realpath(path.cString, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: real, count: strlen(real)))
}

/// Returns the current path of an open file, with all symbolic links resolved.
private func realPath(ofOpen descriptor: Int32) -> [UInt8]? {
    #if canImport(Glibc)
        return realPath(of: Array("/proc/self/fd/\(descriptor)".utf8))
    #else
        var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        let result = unsafe path.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe fcntl(descriptor, F_GETPATH, $0) } ?? -1
        }
        guard result == 0 else { return nil }
        return path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    #endif
}
