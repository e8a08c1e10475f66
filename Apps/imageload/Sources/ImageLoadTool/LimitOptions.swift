import ArgumentParser
import ImageCore

/// The limits of subcommands that decode files.
struct LimitOptions: ParsableArguments {
    @Option(help: "The memory for decoding an image, such as 2GB. Default: 419MB, a photograph of 100 megapixels.")
    var maxMemory: ByteCount?

    @Option(help: "Refuse files with more megapixels than this, from 1 to 4294, whatever the --size.")
    var maxMegapixels = DecodingLimits.default.pixels / 1_000_000

    func validate() throws {
        guard (1...4_294).contains(maxMegapixels) else {
            throw ValidationError("--max-megapixels must be from 1 to 4,294")
        }
    }

    var limits: DecodingLimits {
        var limits = DecodingLimits.default
        limits.pixels = maxMegapixels * 1_000_000
        if let maxMemory { limits.decodedBytes = maxMemory.bytes }
        return limits
    }
}
