import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageThumbHash

/// A file that lists the results of a run, for a web page: JSON, or HTML with a `picture` element for each image.
struct Manifest {
    /// A converted image.
    struct Image: Encodable {
        /// The path of the source. All paths start at the folder of the manifest.
        var source: String
        var width: Int
        var height: Int
        /// The placeholder, as base64.
        var thumbHash: String
        var results: [Result]
    }

    /// One of its results.
    struct Result: Encodable {
        var path: String
        var type: String
        var width: Int
        var height: Int
        var bytes: Int
    }

    private let path: String
    private let images: [Image]

    /// Throws if the name says neither JSON nor HTML.
    static func check(_ path: String) throws(ValidationError) {
        guard ["json", "html"].contains(URL(fileURLWithPath: path).pathExtension) else {
            throw ValidationError("--manifest \(path) must end with .json or .html")
        }
    }

    /// Reads the results that a run has written or found up to date. Blocks.
    init(_ reports: [FileReport], path: String, limits: DecodingLimits) throws {
        self.path = path
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let decoder = DownsamplingDecoder.standard(.all, limits: limits)
        var images: [Image] = []
        var places: [String: Int] = [:]
        for report in reports where [.written, .skipped].contains(report.status) {
            guard let output = report.output else { continue }
            let place = places[report.file] ?? images.count
            if place == images.count {
                images.append(try Image(source: report.file, in: folder, decoder))
                places[report.file] = place
            }
            images[place].results.append(try Result(output, in: folder, decoder))
        }
        self.images = images
    }

    /// Writes the file. Blocks.
    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let isJSON = path.hasSuffix("json")
        let data = isJSON ? try encoder.encode(["images": images]) : Data(images.map(\.html).joined().utf8)
        try AtomicFile.write(data + (isJSON ? Data("\n".utf8) : Data()), to: path)
    }
}

extension Manifest.Image {
    fileprivate init(source: String, in folder: URL, _ decoder: DownsamplingDecoder) throws {
        self = try ToolFailure.naming(source) {
            let data = try FileAccess.readNow(source)
            let size = try decoder.header(of: data).size
            return Self(
                source: URL(fileURLWithPath: source).path(from: folder), width: size.width, height: size.height,
                thumbHash: try ThumbHash(of: data, decoder).base64, results: [])
        }
    }

    /// The element of a page. Browsers choose the first format that they know, and the last one is for the others.
    fileprivate var html: String {
        let types = results.map(\.type).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        func candidates(_ type: String) -> String {
            results.filter { $0.type == type }.map { "\($0.path.forHTML) \($0.width)w" }.joined(separator: ", ")
        }
        guard let fallback = types.last,
            let largest = results.filter({ $0.type == fallback }).max(by: { $0.width < $1.width })
        else { return "" }
        let sources = types.dropLast().map { "  <source type=\"\($0)\" srcset=\"\(candidates($0))\">\n" }
        return """
            <picture>
            \(sources.joined())  <img src="\(largest.path.forHTML)" srcset="\(candidates(fallback))" \
            width="\(largest.width)" height="\(largest.height)" alt="" loading="lazy" data-thumbhash="\(thumbHash)">
            </picture>

            """
    }
}

extension Manifest.Result {
    fileprivate init(_ path: String, in folder: URL, _ decoder: DownsamplingDecoder) throws {
        self = try ToolFailure.naming(path) {
            let data = try FileAccess.readNow(path)
            let header = try decoder.header(of: data)
            return Self(
                path: URL(fileURLWithPath: path).path(from: folder), type: header.format.mediaType,
                width: header.size.width, height: header.size.height, bytes: data.count)
        }
    }
}

extension ThumbHash {
    /// Creates the hash of a file.
    init(of data: Data, _ decoder: DownsamplingDecoder) throws(ImageDecodingError) {
        // The size up to which the hash uses each pixel. Smaller images are not enlarged.
        let request = DecodingRequest(target: ImageTarget(PixelSize(width: 100, height: 100)))
        self.init(bitmap: try decoder.decode(data, request: request).bitmap)
    }
}

extension URL {
    /// Returns the path of the file from a folder.
    fileprivate func path(from folder: URL) -> String {
        let (own, base) = (standardizedFileURL.pathComponents, folder.standardizedFileURL.pathComponents)
        let shared = zip(own, base).prefix { $0 == $1 }.count
        return (base.dropFirst(shared).map { _ in ".." } + own.dropFirst(shared)).joined(separator: "/")
    }
}

extension String {
    /// The path as a URL within an attribute of HTML, in which commas and spaces separate candidates.
    fileprivate var forHTML: String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ",&'\":"))
        return addingPercentEncoding(withAllowedCharacters: allowed) ?? self
    }
}
