import ArgumentParser
import ImageCore
import ImageLoading

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Load images and print the source and time of each.",
        discussion: """
            Prints a line for each image, in the order given: where it came from (memory, local, disk, validated, \
            stale or network), its format, size, bytes and time.

            EXAMPLES
              imageload fetch https://example.com/a.jpg --size 300 --output images
              imageload fetch - --json < urls.txt
              imageload fetch - --trace out.json < urls.txt
              imageload fetch photo.jpg --priority high --header 'Accept: image/webp'
            """)

    @OptionGroup var options: LoadingOptions

    @Option(name: [.short, .long], help: "The folder to write the images to.", completion: .directory)
    var output: String?

    @Option(
        help: """
            The format to write. auto is JPEG for photographs, else PNG; original is the bytes of the server. Default: \
            png with --size or --color, else original.
            """)
    var format: OutputFormat?

    @Option(
        help: "A file for the times of all requests in the Trace Event Format, which ui.perfetto.dev shows.",
        completion: .file())
    var trace: String?

    func validate() throws {
        if let output { try OutputFormat.checkName(output, in: []) }
        if format != nil, output == nil { throw ValidationError("--format needs --output") }
        if format == .original, isChanged {
            throw ValidationError("--format original is unchanged: omit --size and --color, or choose another --format")
        }
    }

    private var isChanged: Bool { options.size != nil || options.colors.color != nil }

    func run() async throws {
        let session = try LoadSession(options, trace: trace)
        let writer = try output.map {
            try ImageWriter(
                folder: $0, format: format ?? (isChanged ? .png : .original), addresses: session.addresses)
        }
        try await session.run { [decoder = session.decoder] loader, item, request, onProgress in
            if let writer, writer.format == .original {
                return try await writer.writeOriginal(item, request, from: loader, decoder, onProgress)
            }
            let loaded = try await loader.image(for: request, onProgress: onProgress)
            try await writer?.write(loaded.decoded.bitmap, for: item)
            return LoadReport.OutputImage(loaded)
        }
    }
}

extension LoadReport.OutputImage {
    init(_ loaded: LoadedImage) {
        self.init(
            source: loaded.source, format: loaded.decoded.header.format, size: loaded.decoded.bitmap.size,
            frames: loaded.decoded.header.frameCount, bytes: loaded.encodedByteCount)
    }

    init(_ loaded: LoadedData, _ header: ImageHeader) {
        self.init(
            source: loaded.source, format: header.format, size: header.size, frames: header.frameCount,
            bytes: loaded.data.count)
    }
}
