import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageThumbHash

struct ThumbHashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbhash", abstract: "Compute the placeholder hash of images, or write the image of a hash.",
        discussion: """
            Prints the ThumbHash of each file as base64, followed by the name of the file if there are several. With \
            --decode, writes the blurred image of a hash as a PNG file instead.

            EXAMPLES
              imageload thumbhash photo.jpg
              imageload thumbhash --decode 1QsOVaiPdYl/iIeIiFiIeH9/9wh4 placeholder.png
            """)

    @Argument(help: "The files, or with --decode the PNG file to write.", completion: .file())
    var files: [String]

    @Option(help: "Write the image of this hash, which is base64.")
    var decode: String?

    @OptionGroup var limits: LimitOptions
    @OptionGroup var printing: OutputOptions

    private struct Report: Encodable {
        var file: String
        var thumbhash: String
    }

    func validate() throws {
        if decode != nil, let output = files.first { try OutputFormat.checkName(output, in: [.png]) }
        guard decode == nil || files.count == 1 else { throw ValidationError("--decode needs one file to write") }
    }

    func run() async throws {
        if let decode { return try await writeImage(of: decode, to: files[0]) }
        let decoder = DownsamplingDecoder.standard(.all, limits: limits.limits)
        for file in files {
            let hash = try await hash(of: file, decoder)
            // The hash is what was asked for, so it is printed with --quiet too.
            let line = files.count == 1 ? hash.base64 : "\(hash.base64)  \(file)"
            Console.output(
                printing.json ? try Report(file: file, thumbhash: hash.base64).json() : line)
        }
    }

    private func hash(of file: String, _ decoder: DownsamplingDecoder) async throws -> ThumbHash {
        let data = try await FileAccess.read(file)
        return try ToolFailure.naming(file) { try ThumbHash(of: data, decoder) }
    }

    private func writeImage(of text: String, to path: String) async throws {
        let hash: ThumbHash
        do throws(ThumbHashError) {
            hash = try ThumbHash(base64: text)
        } catch {
            throw ToolFailure(status: .notAImage, line: "\(text): \(error). Check that the hash is complete.")
        }
        try await FileAccess.writePNG(hash.bitmap(), to: URL(fileURLWithPath: path))
    }
}
