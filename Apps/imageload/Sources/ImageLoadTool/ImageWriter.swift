import ArgumentParser
import Dispatch
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageLoading

/// What `--format` takes.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case png, jpeg, webp, auto, original

    /// What writes an image in this format; nil for the original bytes.
    func encoder(for bitmap: Bitmap) -> (any ImageEncoder)? {
        switch self {
        case .original: nil
        case .auto: ImageEncoders.adaptiveChoice.encoder(for: bitmap)
        case .png, .jpeg, .webp: ImageEncoders.encoder(for: ImageFormat(rawValue: rawValue))
        }
    }
}

/// The folder that `--output` names.
enum ImageFolder {
    static func made(at path: String) throws(Refusal) -> URL {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Refusal(
                status: .inputOutput, line: "\(path): can't make the folder (\(error.reason)). Choose another --output."
            )
        }
        return folder
    }
}

/// Writes images into a folder, each under the last part of its address.
struct ImageWriter: Sendable {
    let format: OutputFormat
    private let folder: URL
    private let names: [String]

    /// Makes the folder.
    init(folder: String, format: OutputFormat, addresses: [String]) throws(Refusal) {
        self.folder = try ImageFolder.made(at: folder)
        self.format = format
        names = Self.names(for: addresses)
    }

    /// Encodes and writes.
    func write(_ bitmap: Bitmap, for item: LoadRunner.Item) async throws {
        guard let encoder = format.encoder(for: bitmap) else { return }
        let data = try encoder.encode(bitmap, options: EncodingOptions())
        try await write(data, named: names[item.index], format: encoder.format)
    }

    /// Loads the original and writes it as it is.
    func writeOriginal(
        _ item: LoadRunner.Item, _ request: ImageRequest, from loader: ImageLoader,
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> LoadReport.OutputImage {
        let loaded = try await loader.data(for: request, onProgress: onProgress)
        let header = try ImageDecoders.makeDecoder().header(of: loaded.data)
        try await write(loaded.data, named: names[item.index], format: header.format)
        return LoadReport.OutputImage(
            source: loaded.source, format: header.format, size: header.size, frames: header.frameCount,
            bytes: loaded.data.count)
    }

    private func write(_ data: Data, named name: String, format: ImageFormat) async throws {
        let suffix = format == .jpeg ? "jpg" : format.rawValue
        try await FileAccess.write(data, to: folder.appending(path: "\(name).\(suffix)"))
    }

    /// One name for each address, all different: the last part of its path without suffix and without odd characters.
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

/// Reads and writes whole files off the cooperative pool.
enum FileAccess {
    private static let queue = DispatchQueue(label: "imageload.files")

    /// Throws a `Refusal` that names the file.
    static func write(_ data: Data, to url: URL) async throws {
        try await perform {
            do {
                try data.write(to: url, options: .atomic)
            } catch {
                throw Refusal(
                    status: .inputOutput,
                    line: "\(url.path): can't write (\(error.reason)). Check the folder and the free space.")
            }
        }
    }

    /// The file's bytes, perhaps mapped: read from disk only where they are looked at. Throws a `Refusal` that names the file.
    static func read(_ path: String, options: Data.ReadingOptions = .mappedIfSafe) async throws -> Data {
        try await perform {
            var isFolder: ObjCBool = false
            guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw Refusal(status: .noInput, line: "\(path): no such file. Check the path.")
            }
            if isFolder.boolValue {
                throw Refusal(status: .noInput, line: "\(path): is a folder. Name a file in it.")
            }
            do {
                return try Data(contentsOf: URL(fileURLWithPath: path), options: options)
            } catch {
                throw Refusal(
                    status: .inputOutput, line: "\(path): can't read (\(error.reason)). Check the permissions.")
            }
        }
    }

    private static func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

extension Error {
    /// The system's own words where there are some, on one line.
    var reason: String {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        let text = (underlying ?? self).localizedDescription
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
