import ArgumentParser
import ImageCore

/// What the subcommands that decode files have in common: the size, and how to get there.
struct TargetOptions: ParsableArguments {
    @Option(help: "Decode to this size, as WxH pixels.")
    var size: PixelSize?

    @Flag(help: "Cover the size and crop, instead of fitting into it.")
    var fill = false

    @Flag(help: "Give up detail that is hardly seen at the size, to be faster.")
    var speed = false

    func validate() throws {
        guard !fill || size != nil else { throw ValidationError("--fill needs --size") }
        guard !speed || size != nil else { throw ValidationError("--speed needs --size") }
    }

    /// Nil for the size as stored.
    var target: ImageTarget? {
        size.map { ImageTarget($0, mode: fill ? .fill : .fit, preference: speed ? .speed : .quality) }
    }
}
