import ArgumentParser
import Dispatch
import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading

/// The values of `--format`.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case png, jpeg, webp, gif, auto, original
    #if AVIF
        case avif
    #endif
    #if HEIF
        case heic
    #endif
    #if JXL
        case jxl
    #endif

    init?(argument: String) {
        let name = argument.lowercased()
        self.init(rawValue: ["jpg": "jpeg", "heif": "heic"][name] ?? name)
    }

    /// Returns the encoder for this format, or nil if the original bytes are written.
    func encoder(for bitmap: Bitmap) -> (any ImageEncoder)? {
        switch self {
        case .original: nil
        case .auto: AdaptiveEncoderChoice.standard().encoder(for: bitmap)
        default: [any ImageEncoder].all.encoder(for: ImageFormat(rawValue: rawValue))
        }
    }
}

/// Writes images to a folder, each named after the last path component of its address.
struct ImageWriter: Sendable {
    let format: OutputFormat
    private let folder: URL
    private let names: [String]

    /// Creates the folder.
    init(folder: String, format: OutputFormat, addresses: [String]) throws(ToolFailure) {
        self.folder = try FileAccess.createFolder(at: folder)
        self.format = format
        names = Self.names(for: addresses)
    }

    func write(_ bitmap: Bitmap, for item: LoadSession.Item) async throws {
        guard let encoder = format.encoder(for: bitmap) else { return }
        let data = try encoder.encode(bitmap, options: EncodingOptions())
        try await write(data, named: names[item.index], format: encoder.format)
    }

    /// Loads the original and writes its bytes unchanged.
    func writeOriginal(
        _ item: LoadSession.Item, _ request: ImageRequest, from loader: ImageLoader, _ decoder: any SizedImageDecoder,
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> LoadReport.OutputImage {
        let loaded = try await loader.data(for: request, onProgress: onProgress)
        let header = try decoder.header(of: loaded.data)
        try await write(loaded.data, named: names[item.index], format: header.format)
        return LoadReport.OutputImage(loaded, header)
    }

    private func write(_ data: Data, named name: String, format: ImageFormat) async throws {
        try await FileAccess.write(data, to: folder.appending(path: "\(name).\(format.fileExtension)"))
    }

    /// Returns a unique name for each address: its last path component without the extension and unusual characters.
    static func names(for addresses: [String]) -> [String] {
        var taken: Set<String> = []
        return addresses.map { address in
            let base = baseName(of: address)
            var name = base
            var number = 2
            while !taken.insert(name.lowercased()).inserted {
                name = "\(base)-\(number)"
                number += 1
            }
            return name
        }
    }

    private static func baseName(of address: String) -> String {
        if address.lowercased().hasPrefix("data:") { return "image" }
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let stem = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
        let allowed = stem.prefix(100).map { character in
            character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
                ? character : "_"
        }
        let name = String(allowed).drop { $0 == "." }
        return name.isEmpty ? "image" : String(name)
    }
}

/// Reads and writes whole files without blocking the cooperative thread pool.
enum FileAccess {
    private static let queue = DispatchQueue(label: "imageload.files")

    /// Creates the folder given by `--output`.
    static func createFolder(at path: String) throws(ToolFailure) -> URL {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw ToolFailure(
                status: .inputOutput,
                line: "\(path): can't create the folder (\(error.reason)). Choose another folder.")
        }
        return folder
    }

    /// Writes the file. Throws a `ToolFailure` that names the file.
    static func write(_ data: Data, to url: URL) async throws {
        try await perform { try AtomicFile.write(data, to: url.path) }
    }

    /// Writes an image as a PNG file. Throws a `ToolFailure` that names the file.
    static func writePNG(_ bitmap: Bitmap, to url: URL) async throws {
        guard let encoder = [any ImageEncoder].standard.encoder(for: .png) else { return }
        try await write(try encoder.encode(bitmap, options: EncodingOptions()), to: url)
    }

    /// Writes pixels directly from memory, because a copy would double the memory of a large image. The path can be a
    /// device. Throws a `ToolFailure` that names it.
    static func writeRaw(_ pixels: [UInt8], to path: String) async throws {
        try await perform {
            do {
                try unsafe pixels.withUnsafeBytes { bytes in
                    guard let start = bytes.baseAddress else { return }
                    // Sound: the data doesn't outlive the closure, and nothing changes it.
                    let data = unsafe Data(
                        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
                    try data.write(to: URL(fileURLWithPath: path))
                }
            } catch {
                throw ToolFailure(cantWrite: path, error.reason)
            }
        }
    }

    /// Returns the file's bytes, memory-mapped by default. Throws a `ToolFailure` that names the file.
    static func read(_ path: String, options: Data.ReadingOptions = .mappedIfSafe) async throws -> Data {
        try await perform { try readNow(path, options: options) }
    }

    /// Returns the file's bytes. Fails if they are an image in a format that the tool can't read. Blocks.
    static func readNow(_ path: String, options: Data.ReadingOptions = .mappedIfSafe) throws(ToolFailure) -> Data {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolFailure(status: .noInput, line: "\(path): no such file. Check the path.")
        }
        if isFolder.boolValue {
            throw ToolFailure(status: .noInput, line: "\(path): is a folder. Pass a file.")
        }
        var data = Data()
        do {
            let url = URL(fileURLWithPath: path)
            let isStream = InputFiles.isStream(path)
            data =
                isStream
                ? try FileHandle(forReadingFrom: url).readToEnd() ?? Data()
                : try Data(contentsOf: url, options: options)
        } catch {
            throw ToolFailure(
                status: .inputOutput, line: "\(path): can't read (\(error.reason)). Check the permissions.")
        }
        try ForeignFormat.check(data, subject: path)
        return data
    }

    /// Writes to standard output. A closed pipe ends the program by its signal. Blocks.
    static func writeToOutput(_ data: Data) throws(ToolFailure) {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw ToolFailure(cantWrite: "standard output", error.reason)
        }
    }

    private static func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

extension Error {
    /// The system's error message, if there is one, on one line.
    var reason: String {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        let error = underlying ?? self
        if (error as NSError).domain == NSPOSIXErrorDomain {
            return unsafe String(cString: strerror(CInt((error as NSError).code)))
        }
        return error.localizedDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
