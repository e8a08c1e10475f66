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
              imageload convert photos --sizes 400,800 --to avif,jpeg --output site
              imageload convert --files-from list.txt --to webp --name '{name}'
            """)

    @OptionGroup var input: InputOptions

    @Option(
        name: [.short, .long], help: "The folder for the results, a file for one result, or - for standard output.",
        completion: .file())
    var output: String?

    @Option(
        help: """
            The names of the results without extension, of {name}, {width} and {height}. Without --output, they are \
            beside their sources. Default: {name}, and {name}-{width} with --sizes.
            """)
    var name: NamePattern?

    @Option(
        help: """
            The format, or several separated by commas. auto is JPEG for photographs, else PNG; original is that of the \
            file, or of --output.
            """)
    var to = OutputFormats(.original)

    @OptionGroup var look: LookOptions
    @OptionGroup var colors: ColorOptions

    @Option(
        name: [.short, .long],
        help: """
            1 to 100, or auto[:SSIM] for the smallest file that is as similar to the source as this: above 0 and below \
            1, by default 0.97.
            """)
    var quality = QualitySetting.fixed(80)

    @OptionGroup var fileSize: FileSizeOptions

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

    @Option(
        help: "Write a .json or .html file that lists all results, with sizes and placeholders.", completion: .file())
    var manifest: String?

    @Flag(help: "Give each result the modification time of its source.")
    var keepTime = false

    @Flag(
        help:
            "Fail where the result would lose what the source has, such as metadata, colors, HDR, frames or a gain map."
    )
    var strict = false

    @Flag(help: "Convert again even if the output is newer.")
    var force = false

    @Flag(help: "Report what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var batch: BatchOptions
    @OptionGroup var printing: OutputOptions

    /// The formats; nil for that of the source.
    private var formats: [OutputFormat?] {
        to.formats.map { $0 != .original ? $0 : output.flatMap { namesFile ? OutputFormat(fileName: $0) : nil } }
    }

    private var sizes: [OutputSize?] { look.sizes.map { $0.sizes } ?? [look.size] }

    private var isSingle: Bool { formats.count * sizes.count == 1 }

    private var pattern: NamePattern { name ?? NamePattern(look.sizes == nil ? "{name}" : "{name}-{width}") }

    private var isStandardOutput: Bool { output == "-" || output == nil && input.isStandardInput }

    func validate() throws {
        guard input.isStandardInput || !input.inputs.contains("-") else {
            throw ValidationError("- can't be combined with other inputs")
        }
        guard output != nil || input.isStandardInput || name != nil else {
            throw ValidationError(
                "no --output: pass a folder, a file name, - for standard output, or --name for results beside the sources"
            )
        }
        if let output { try OutputFormat.checkName(output, in: OutputFormat.allCases) }
        guard !(isStandardOutput && printing.json) else { throw ValidationError("--json needs an --output file") }
        guard colors.color == nil || !keep.kinds.contains(.icc) else {
            throw ValidationError("--keep icc keeps the colors of the file: omit it, or omit --color")
        }
        let isOne = input.isStandardInput || isStandardOutput || namesFile
        guard !isOne || isSingle && name == nil && manifest == nil else {
            throw ValidationError("several formats or sizes, --name and --manifest need an --output folder")
        }
        guard !(input.isStandardInput || isStandardOutput) || !dryRun && !keepTime else {
            throw ValidationError("--dry-run and --keep-time are for files")
        }
        if let manifest { try Manifest.check(manifest) }
        try fileSize.check(quality)
    }

    func run() async throws {
        let converter = ImageConverter(settings)
        if input.isStandardInput { return try await convertStandardInput(converter) }
        var files = try input.files(excluding: output)
        files.removeDuplicates { [$0.realPath, $0.relativePath] }
        let (formats, sizes, pattern) = (formats, sizes, pattern)
        // A manifest has the size of the source.
        let needsSize = pattern.hasSize || manifest != nil
        files.replaceReadable {
            converter.variants(of: $0, formats: formats, sizes: sizes, needsSize: needsSize)
        }
        let paths = try outputPaths(files)
        files.remove(where: paths.isResult)
        let run = ConversionRun(
            converter: converter, paths: paths, force: force, isStrict: strict, isDry: dryRun, keepsTime: keepTime,
            isStandardOutput: isStandardOutput)
        try await FileBatch(batch, printing).run(
            files, byteCount: { file in file.byteCount { converter.for(file.variant).byteCount(of: $0) } }, run.convert
        ) { [manifest, dryRun, limits = batch.limits] reports in
            guard let manifest, !dryRun else { return }
            try Manifest(reports, path: manifest, limits: limits).write()
        }
    }

    private var settings: ConversionSettings {
        ConversionSettings(
            format: formats[0], size: sizes[0], mode: look.mode == .fill ? .fill : .fit, upscales: look.enlarge,
            usesLinearLight: look.linear, crop: look.crop, gravity: look.gravity ?? .center,
            background: look.background?.color, quality: quality,
            bounds: fileSize.bounds, isLossless: lossless, isProgressive: progressive, kept: keep.kinds,
            color: colors.output, limits: batch.limits)
    }

    /// Whether `--output` is the name of a file, not of a folder.
    private var namesFile: Bool {
        guard let output, input.inputs.count == 1, input.filesFrom == nil, !InputFiles.isFolder(input.inputs[0]),
            !InputFiles.isFolder(output)
        else { return false }
        return !output.hasSuffix("/") && OutputFormat(fileName: output) != nil
    }

    private func outputPaths(_ input: InputFiles) throws -> OutputPaths {
        if isStandardOutput, input.all.count != 1 { throw ValidationError("--output - needs one input") }
        if input.all.count == 1, namesFile || isStandardOutput {
            return OutputPaths(input.all[0], path: output ?? "-")
        }
        if let output, !output.hasSuffix("/"), OutputFormat(fileName: output) != nil, !InputFiles.isFolder(output) {
            throw ValidationError("--output \(output) is the name of a file: pass a folder for several inputs")
        }
        let paths = OutputPaths(input.files, folder: output, name: pattern) { file in
            file.variant.format ?? OutputFormat(ofFile: file.path)
        }
        if let conflict = paths.conflicts.min() {
            throw ValidationError(
                """
                two results would be written to \(conflict): pass the folder that contains both, choose another --name, \
                or convert them apart
                """)
        }
        return paths
    }

    private func convertStandardInput(_ converter: ImageConverter) async throws {
        let data = FileHandle.standardInput.readDataToEndOfFile()
        do {
            try ForeignFormat.check(data, subject: "standard input")
            let converted = try converter.convert(data, isStrict: strict)
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

    @Flag(help: "Resize in linear light, which keeps the brightness of fine patterns and takes longer.")
    var linear = false

    @Option(
        help:
            """
            First cut out WxH+X+Y of the upright image, WxH in its center, or its part with the aspect ratio of --size \
            that attracts attention: attention.
            """)
    var crop: CropArea?

    @Option(
        help:
            """
            Several sizes for each image, such as 400,800,1600. A number is a width. Sizes above that of the image give \
            one result in its own size.
            """)
    var sizes: OutputSizes?

    @Option(help: "The part that --fill or --crop WxH keeps. Default: center.")
    var gravity: Gravity?

    @Option(help: "The color under transparent pixels: #rrggbb, #rgb, white or black. Default: kept, white in JPEG.")
    var background: ColorArgument?

    func validate() throws {
        guard size == nil || sizes == nil else { throw ValidationError("--size and --sizes exclude each other") }
        if gravity != nil {
            let isOpen = if case .part(_, at: nil) = crop { true } else { crop == nil && mode == .fill }
            guard isOpen else { throw ValidationError("--gravity needs --fill, or --crop WxH without an offset") }
        }
        guard mode == .fill || crop == .attention else { return }
        let isComplete = (sizes?.sizes ?? [size].compactMap(\.self)).map { size in
            if case .pixels(let size) = size { !size.isOpen } else { false }
        }
        guard !isComplete.isEmpty, !isComplete.contains(false) else {
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
    /// Whether a loss is a failure.
    let isStrict: Bool
    /// Whether nothing is written.
    let isDry: Bool
    /// Whether results get the modification time of their source.
    let keepsTime: Bool
    let isStandardOutput: Bool

    func convert(_ file: InputFile) throws -> FileReport {
        let converter = converter.for(file.variant)
        if isStandardOutput {
            let data = try FileAccess.readNow(file.path)
            let converted = try converter.convert(data, isStrict: isStrict)
            try FileAccess.writeToOutput(converted.data)
            return FileReport(file, data.count, converted, FileReport.standardOutput)
        }
        let path = paths.path(for: file)
        let options = converter.settings.text + (isStrict ? " strict" : "")
        let possible = paths.lacksExtension(file) ? ["\(path).jpg", "\(path).png"] : [path]
        let current = possible.first { !force && isCurrent($0, for: file.path, made: options) }
        if let current {
            var report = FileReport(file: file.path, status: .skipped)
            report.output = current
            return report
        }
        for path in possible { try paths.checkOverwriting(path) }
        let data = try FileAccess.readNow(file.path)
        let converted = try converter.convert(data, isStrict: isStrict)
        let output = paths.lacksExtension(file) ? "\(path).\(converted.format.fileExtension)" : path
        if !isDry {
            try AtomicFile.write(converted.data, to: output, options: options)
            if keepsTime { try AtomicFile.copyTime(of: file.path, to: output) }
        }
        return FileReport(file, data.count, converted, output, status: isDry ? .possible : .written)
    }

    /// Whether an output is newer than its input, and was not written with other options.
    private func isCurrent(_ output: String, for input: String, made options: String) -> Bool {
        guard let written = modified(output), let changed = modified(input), written >= changed else { return false }
        return !OutputPaths.areSame(output, input) && AtomicFile.isMade(output, with: options)
    }

    /// The time of a file, which a link may lead to. Nil for a pipe or a device, which has other content each time.
    private func modified(_ path: String) -> Date? {
        if InputFiles.isStream(path) { return nil }
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate]) as? Date
    }
}

extension FileReport {
    init(
        _ file: InputFile, _ inputBytes: Int, _ converted: ConvertedImage, _ output: String, status: Status = .written
    ) {
        self.init(file: file.path, status: status)
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
        losses = converted.losses
        notes = converted.notes
    }
}

extension ImageConverter {
    /// Converts a file.
    ///
    /// - Parameter isStrict: Whether a loss is a failure.
    fileprivate func convert(_ data: Data, isStrict: Bool) throws -> ConvertedImage {
        let converted = try convert(data)
        if isStrict, !converted.losses.isEmpty { throw LostContent(losses: converted.losses) }
        return converted
    }
}

/// A conversion would lose something, and `--strict` forbids it.
struct LostContent: Error {
    var losses: [ConversionLoss]
}
