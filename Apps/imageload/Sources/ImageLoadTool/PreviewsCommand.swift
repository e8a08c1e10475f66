import AllFormats
import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct PreviewsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previews", abstract: "Write the previews that a decoder shows during a download.",
        discussion: """
            Feeds the file to the decoder in chunks, as from a network. Writes each preview as a PNG file named after the \
            number of bytes received, and the final image as final.png.
            """, shouldDisplay: false)

    @Argument(help: "The file to decode.")
    var file: String

    @OptionGroup var options: TargetOptions

    @Option(help: "The folder to write the images to.")
    var output: String

    @Option(help: "The size of a chunk in bytes. Default: a twentieth of the file.")
    var piece: Int?

    func validate() throws {
        if let piece, piece < 1 { throw ValidationError("--piece must be at least 1") }
    }

    func run() async throws {
        let data = try await FileAccess.read(file)
        let folder = try FileAccess.createFolder(at: output)
        let decoder = ImageDecoders.makeDecoder(.all, limits: options.limits)
        let request = options.request
        let session = decoder.makeSession(request: request, throttle: .none)
        let length = piece ?? max(1, data.count / 20)
        for start in stride(from: 0, to: data.count, by: length) {
            let bytes = data.dropFirst(start).prefix(length)
            let preview = try ToolFailure.naming(file) { () throws(DecodingFailure) in
                try session?.append(bytes, at: .zero, isCancelled: { false })
            }
            if let preview { try await write(preview, after: start + bytes.count, of: data.count, to: folder) }
        }
        let image = try ToolFailure.naming(file) { () throws(DecodingFailure) in
            try decoder.decode(data, request: request, isCancelled: { false })
        }
        try await write(image, after: data.count, of: data.count, to: folder)
    }

    private func write(_ image: DecodedImage, after count: Int, of total: Int, to folder: URL) async throws {
        let name = image.completeness == .preview ? "preview-\(count).png" : "final.png"
        try await FileAccess.writePNG(image.bitmap, to: folder.appending(path: name))
        Console.output("\(name): \(image.bitmap.size) after \(count) of \(total) bytes")
    }
}
