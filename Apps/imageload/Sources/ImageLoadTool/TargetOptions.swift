import ArgumentParser
import ImageCore

/// The size and scaling options of subcommands that decode files.
struct TargetOptions: ParsableArguments {
    @Option(help: "Decode to this size, as WxH pixels.")
    var size: PixelSize?

    @Flag(help: "Cover the size and crop instead of fitting into it.")
    var fill = false

    @Flag(help: "Decode faster, with barely visible loss of detail.")
    var speed = false

    @OptionGroup private var limitOptions: LimitOptions

    func validate() throws {
        guard !fill || size != nil else { throw ValidationError("--fill needs --size") }
        guard !speed || size != nil else { throw ValidationError("--speed needs --size") }
    }

    var limits: DecodingLimits { limitOptions.limits }

    /// The target, or nil to decode at the stored size.
    var target: ImageTarget? {
        size.map { ImageTarget($0, mode: fill ? .fill : .fit, preference: speed ? .speed : .quality) }
    }
}
