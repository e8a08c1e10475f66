import ArgumentParser
import ImageCore

/// The size, scaling and color options of subcommands that decode files.
struct TargetOptions: ParsableArguments {
    @Option(help: "Decode to this size in pixels: 200, 200x, x200, 200x100 or a name: thumbnail, hd, fullhd, 4k.")
    var size: PixelSize?

    @Flag(help: "Cover the size and crop instead of fitting into it.")
    var fill = false

    @Flag(help: "Decode faster, with barely visible loss of detail.")
    var speed = false

    @OptionGroup private var colors: ColorOptions
    @OptionGroup private var limitOptions: LimitOptions

    func validate() throws {
        guard !fill || size?.isOpen == false else { throw ValidationError("--fill needs a --size with both sides") }
        guard !speed || size != nil else { throw ValidationError("--speed needs --size") }
    }

    var limits: DecodingLimits { limitOptions.limits }

    /// The target, or nil to decode at the stored size.
    var target: ImageTarget? {
        size.map { ImageTarget($0, mode: fill ? .fill : .fit, preference: speed ? .speed : .quality) }
    }

    /// The request for the first frame.
    var request: DecodingRequest { DecodingRequest(target: target, color: colors.output) }
}

/// The limits of subcommands that decode files.
struct LimitOptions: ParsableArguments {
    @Option(
        help: """
            The memory for images in progress, such as 2GB. Default: 419MB, a photograph of 100 megapixels; in convert \
            and optimize 1GB.
            """)
    var maxMemory: ByteCount?

    @Option(help: "Refuse files with more megapixels than this, from 1 to 4294, whatever the --size.")
    var maxMegapixels = DecodingLimits.default.maxPixels / 1_000_000

    func validate() throws {
        guard (1...4_294).contains(maxMegapixels) else {
            throw ValidationError("--max-megapixels must be from 1 to 4,294")
        }
    }

    var limits: DecodingLimits { limits(bytes: DecodingLimits.default.decodedByteLimit) }

    /// - Parameter bytes: The memory without `--max-memory`.
    func limits(bytes: Int) -> DecodingLimits {
        var limits = DecodingLimits.default
        limits.maxPixels = maxMegapixels * 1_000_000
        limits.decodedByteLimit = maxMemory?.bytes ?? bytes
        return limits
    }
}
