import ArgumentParser
import Foundation
import ImageCore
import ImageMetadata

struct OptimizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize", abstract: "Make files smaller without changing a pixel.",
        discussion: """
            Replaces each file by a smaller one whose pixels are proven to be equal, or leaves it. JPEG gets optimal \
            Huffman tables and progressive scans; PNG fewer bits per pixel, better filters and stronger compression; \
            GIF and lossless WebP are compressed again. Metadata that doesn't change how an image looks is removed \
            unless you --keep it. AVIF, HEIC, JPEG XL and APNG are left as they are.

            EXAMPLES
              imageload optimize photos --dry-run
              imageload optimize photo.jpg --keep exif,xmp
              imageload optimize icons/*.png --json
            """)

    @OptionGroup var input: InputOptions

    @Flag(help: "Report what would be saved, and write nothing.")
    var dryRun = false

    @Option(help: "The metadata to keep: exif, xmp, separated by commas; all or none. Profiles are always kept.")
    var keep = MetadataKinds()

    @OptionGroup var batch: BatchOptions
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        let optimizer = ImageOptimizer(kept: keep.kinds, limits: batch.limits)
        var input = try input.files()
        input.removeDuplicates { $0.realPath }
        try await FileBatch(batch, printing).run(input, byteCount: { $0.byteCount(optimizer.byteCount) }) { file in
            try optimize(file, optimizer)
        }
    }

    private func optimize(_ file: InputFile, _ optimizer: ImageOptimizer) throws -> FileReport {
        // Not mapped, because the file is replaced. A link stays, and its file is replaced.
        let path = file.realPath
        let data = try FileAccess.readNow(path, options: [])
        var report = FileReport(file: file.path, status: .unchanged)
        report.inputBytes = data.count
        report.outputBytes = data.count
        switch try optimizer.optimize(data) {
        case .unchanged: break
        case .left(let reason): report.notes = [reason]
        case .smaller(let smaller):
            report.outputBytes = smaller.count
            report.losses = try optimizer.removedMetadata(of: data, in: smaller).inOrder
            report.status = dryRun ? .possible : .written
            if !dryRun { try Self.replace(path, data, smaller) }
        }
        return report
    }

    /// Replaces a file, unless it has changed since its data was read.
    static func replace(_ path: String, _ data: Data, _ smaller: Data) throws {
        guard try FileAccess.readNow(path, options: []) == data else {
            throw ToolFailure(
                status: .inputOutput, line: "\(path): was changed by another program. Run it again.")
        }
        try AtomicFile.write(smaller, to: path, replaces: true)
    }
}
