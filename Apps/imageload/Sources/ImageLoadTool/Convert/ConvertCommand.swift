import ArgumentParser
import Foundation
import ImageCore
import ImageMetadata

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert images to a format, a size and a quality.",
        discussion: """
            Inputs are files, folders with all images in them and their subfolders, patterns in quotes, or - for \
            standard input. Images are turned upright, and get the colors of sRGB unless --color says otherwise, and \
            no metadata unless you --keep it. Animations stay animated in GIF, WebP, PNG, AVIF and JPEG XL. Smaller images \
            stay as they are unless --enlarge. An output that is newer than its input, and was made with the \
            same options, is skipped. A failure is reported, and the other files are converted.

            --quality auto:0.97 finds the smallest file whose worst parts have a structural similarity (SSIM) of 0.97 \
            to the resized source, with a quality of at least 40. Formats without quality ignore it.

            EXAMPLES
              imageload convert photos --to webp --size 1080 --output small
              imageload convert a.png --to avif --quality auto:0.98 --output a.avif
              imageload convert 'scans/*.png' --to jpeg --size 50% --keep exif --output out
              imageload convert a.jpg --size 200x200 --fill --output thumbnails
              imageload convert - --to jpeg --background white < a.png > a.jpg
            """)

    @Argument(help: "Files, folders, patterns, or - for standard input.", completion: .file())
    var inputs: [String]

    @Option(
        name: [.short, .long], help: "The folder for the results, a file for one result, or - for standard output.",
        completion: .file())
    var output: String?

    @Option(help: "The format. auto is JPEG for photographs, else PNG; original is that of the file, or of --output.")
    var to = OutputFormat.original

    @OptionGroup var look: LookOptions
    @OptionGroup var colors: ColorOptions

    @Option(
        name: [.short, .long],
        help: """
            1 to 100, or auto[:SSIM] for the smallest file that is as similar to the source as this: above 0 and below \
            1, by default 0.97.
            """)
    var quality = QualitySetting.fixed(80)

    @Flag(help: "Compress without loss, in WebP, AVIF, HEIC and JPEG XL.")
    var lossless = false

    @Flag(help: "Write progressive JPEG and JPEG XL, interlaced PNG and GIF.")
    var progressive = false

    @Option(
        help: """
            The metadata to keep: exif, icc, xmp, separated by commas; all or none. GIF keeps none, animated AVIF only \
            icc. Default: none.
            """)
    var keep = MetadataKinds()

    @Flag(help: "Convert again even if the output is newer.")
    var force = false

    @OptionGroup var batch: BatchOptions
    @OptionGroup var printing: OutputOptions

    private var format: OutputFormat? { to == .original ? nil : to }

    private var isStandardInput: Bool { inputs == ["-"] }

    private var isStandardOutput: Bool { output == "-" || output == nil && isStandardInput }

    func validate() throws {
        guard isStandardInput || !inputs.contains("-") else {
            throw ValidationError("- can't be combined with other inputs")
        }
        guard output != nil || isStandardInput else {
            throw ValidationError("no --output: pass a folder, a file name, or - for standard output")
        }
        if let output { try OutputFormat.checkName(output, in: OutputFormat.allCases) }
        guard !(isStandardOutput && printing.json) else { throw ValidationError("--json needs an --output file") }
        guard colors.color == nil || !keep.kinds.contains(.icc) else {
            throw ValidationError("--keep icc keeps the colors of the file: omit it, or omit --color")
        }
    }

    func run() async throws {
        let converter = ImageConverter(settings)
        if isStandardInput { return try await convertStandardInput(converter) }
        var input = InputFiles(inputs, excluding: output)
        input.removeDuplicates { [$0.realPath, $0.relativePath] }
        let paths = try outputPaths(input)
        let run = ConversionRun(converter: converter, paths: paths, force: force, isStandardOutput: isStandardOutput)
        try await FileBatch(batch, printing).run(input, byteCount: { $0.byteCount(converter.byteCount) }, run.convert)
    }

    private var settings: ConversionSettings {
        ConversionSettings(
            format: format ?? output.flatMap { namesFile ? OutputFormat(fileName: $0) : nil }, size: look.size,
            mode: look.mode == .fill ? .fill : .fit, upscales: look.enlarge, crop: look.crop,
            background: look.background?.color, quality: quality, isLossless: lossless, isProgressive: progressive,
            kept: keep.kinds, color: colors.output, limits: batch.limits)
    }

    /// Whether `--output` is the name of a file, not of a folder.
    private var namesFile: Bool {
        guard let output, inputs.count == 1, !InputFiles.isFolder(inputs[0]), !InputFiles.isFolder(output) else {
            return false
        }
        return !output.hasSuffix("/") && OutputFormat(fileName: output) != nil
    }

    private func outputPaths(_ input: InputFiles) throws -> OutputPaths {
        let output = output ?? "-"
        if isStandardOutput, input.all.count != 1 { throw ValidationError("--output - needs one input") }
        if input.all.count == 1, namesFile || isStandardOutput {
            return OutputPaths(input.all[0], path: output)
        }
        if !output.hasSuffix("/"), OutputFormat(fileName: output) != nil, !InputFiles.isFolder(output) {
            throw ValidationError("--output \(output) is the name of a file: pass a folder for several inputs")
        }
        let paths = OutputPaths(input.files, folder: output) { format ?? OutputFormat(ofFile: $0.path) }
        if let conflict = paths.conflicts.min() {
            throw ValidationError(
                "two inputs would be written to \(conflict): pass the folder that contains both, or convert them apart")
        }
        return paths
    }

    private func convertStandardInput(_ converter: ImageConverter) async throws {
        let data = FileHandle.standardInput.readDataToEndOfFile()
        do {
            try ForeignFormat.check(data, subject: "standard input")
            let converted = try converter.convert(data)
            for note in converted.notes where !printing.quiet { Console.error("standard input: \(note)") }
            guard let output, output != "-" else {
                return try FileAccess.writeToOutput(converted.data)
            }
            try AtomicFile.write(converted.data, to: output)
            let report = FileReport(InputFile(path: "-", relativePath: "-"), data.count, converted, output)
            try printing.print(report, text: report.line)
        } catch {
            throw ToolFailure(error, subject: "standard input")
        }
    }
}

/// The options that change the size and the pixels of the result.
struct LookOptions: ParsableArguments {
    enum Mode: String, EnumerableFlag {
        case fit, fill

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .fit: "Fit the whole image into the size."
            case .fill: "Cover the size and crop what is outside, evenly."
            }
        }
    }

    @Option(
        help:
            """
            The size in pixels as 200 (both sides at most), 200x (width), x200 (height), 200x100 or 50%, or a name: \
            thumbnail (256), hd, fullhd or 4k.
            """)
    var size: OutputSize?

    @Flag(exclusivity: .exclusive)
    var mode = Mode.fit

    @Flag(help: "Enlarge images that are smaller than the size.")
    var enlarge = false

    @Option(
        help:
            """
            First cut out WxH+X+Y of the upright image, WxH in its center, or its part with the aspect ratio of --size \
            that attracts attention: attention.
            """)
    var crop: CropArea?

    @Option(help: "The color under transparent pixels: #rrggbb, #rgb, white or black. Default: kept, white in JPEG.")
    var background: ColorArgument?

    func validate() throws {
        guard mode == .fill || crop == .attention else { return }
        guard case .pixels(let size) = size, !size.isOpen else {
            let option = mode == .fill ? "--fill" : "--crop attention"
            throw ValidationError("\(option) needs a --size with both sides, such as 200x100")
        }
    }
}

/// Converts files one by one.
struct ConversionRun: Sendable {
    let converter: ImageConverter
    let paths: OutputPaths
    let force: Bool
    let isStandardOutput: Bool

    func convert(_ file: InputFile) throws -> FileReport {
        if isStandardOutput {
            try FileAccess.writeToOutput(converter.convert(FileAccess.readNow(file.path)).data)
            return FileReport(file: file.path, status: .written)
        }
        let path = paths.path(for: file)
        let possible = paths.lacksExtension(file) ? ["\(path).jpg", "\(path).png"] : [path]
        let current = possible.first { !force && isCurrent($0, for: file.path) }
        if current != nil || paths.isResult(file) {
            var report = FileReport(file: file.path, status: .skipped)
            report.output = current ?? path
            return report
        }
        for path in possible { try paths.checkOverwriting(path) }
        let data = try FileAccess.readNow(file.path)
        let converted = try converter.convert(data)
        let output = paths.lacksExtension(file) ? "\(path).\(converted.format.fileExtension)" : path
        try AtomicFile.write(converted.data, to: output, options: converter.settings.text)
        return FileReport(file, data.count, converted, output)
    }

    /// Whether an output is newer than its input, and was not written with other options.
    private func isCurrent(_ output: String, for input: String) -> Bool {
        guard let written = modified(output), let changed = modified(input), written >= changed else { return false }
        return !OutputPaths.areSame(output, input) && AtomicFile.isMade(output, with: converter.settings.text)
    }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
    }
}

extension FileReport {
    init(_ file: InputFile, _ inputBytes: Int, _ converted: ConvertedImage, _ output: String) {
        self.init(file: file.path, status: .written)
        self.output = output
        self.inputBytes = inputBytes
        format = converted.format.rawValue
        width = converted.size.width
        height = converted.size.height
        frames = converted.frames
        outputBytes = converted.data.count
        quality = converted.quality
        ssim = converted.ssim
        encodes = converted.encodes
        notes = converted.notes
    }
}
