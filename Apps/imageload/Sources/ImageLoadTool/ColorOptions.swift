public import ArgumentParser
import Foundation
public import ImageCore
import ImageMetadata

/// The color space of subcommands that decode images.
struct ColorOptions: ParsableArguments {
    @Option(help: "The color space of the result. auto is p3 if the source's gamut is larger than sRGB. Default: srgb.")
    var color: OutputColor?

    /// The color space, by default sRGB.
    var output: OutputColor { color ?? .sRGB }
}

extension OutputColor: ExpressibleByArgument {
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension SourceColor {
    /// The name of the profile, or the names of the primaries and of a transfer function other than that of sRGB.
    var name: String {
        if let profile { return EmbeddedMetadata(icc: profile).colorProfileName ?? "unnamed profile" }
        return [primariesName, transferName].compactMap(\.self).joined(separator: " ")
    }

    private var primariesName: String {
        switch primaries {
        case .sRGB: "sRGB"
        case .displayP3: "Display P3"
        case RGBPrimaries(codePoint: 9): "BT.2020"
        default: "other primaries"
        }
    }

    private var transferName: String? {
        switch transfer {
        case .sRGB: nil
        case .pq: "PQ"
        case .hlg: "HLG"
        case .gamma(1): "linear"
        case .parametric(let exponent, 1, 0, 0, 0): String(format: "gamma %.1f", exponent)
        case .parametric: "other curve"
        }
    }
}
