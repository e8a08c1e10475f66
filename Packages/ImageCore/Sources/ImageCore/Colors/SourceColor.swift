/// The color of an image's samples, as its file describes it.
///
/// Codecs make it from their containers, and a `ColorConverter` applies it. Neither knows the other.
public struct SourceColor: Hashable, Sendable {
    /// The embedded ICC profile as stored, or nil. It replaces `primaries` and `transfer`, unless it describes HDR.
    public let profile: Data?
    /// The white point and the primaries.
    public var primaries: RGBPrimaries
    /// The transfer function.
    public var transfer: TransferFunction
    /// The luminance of the brightest pixel in cd/m², of HDR; nil if the file doesn't say it.
    public var peakLuminance: Double?

    /// sRGB.
    public static let sRGB = SourceColor()

    /// Creates a color from primaries and a transfer function, by default sRGB.
    public init(primaries: RGBPrimaries = .sRGB, transfer: TransferFunction = .sRGB) {
        profile = nil
        self.primaries = primaries
        self.transfer = transfer
    }

    /// Creates the color of an ICC profile. Its tag `cicp` says whether it is HDR (ICC.1:2022, 9.2.17).
    public init(profile: Data) {
        self.profile = profile
        let coded = ICCProfile.codePoints(of: profile).flatMap {
            SourceColor(primaries: $0.primaries, transfer: $0.transfer)
        }
        primaries = coded?.primaries ?? .sRGB
        transfer = coded?.transfer ?? .sRGB
    }

    /// Creates the color of code points of ITU-T H.273, tables 2 and 3. Nil for unspecified and unknown ones.
    ///
    /// - Parameter video: The curve for BT.601, BT.709 and BT.2020. In PNG it is a power of 2.4 (ITU-R BT.1886), as in Chromium.
    ///   Elsewhere it is that of sRGB, as in browsers: most files with these code points are photographs in sRGB.
    package init?(primaries: Int, transfer: Int, video: TransferFunction = .sRGB) {
        guard let points = RGBPrimaries(codePoint: primaries),
            let curve = TransferFunction(codePoint: transfer, video: video)
        else { return nil }
        self.init(primaries: points, transfer: curve)
    }

    /// Sets the peak of HDR to the first luminance that is known and positive.
    package mutating func setPeak(_ luminances: Double?...) {
        if isHDR { peakLuminance = luminances.compactMap { $0 }.first { $0 > 0 } }
    }

    /// Whether the transfer function is one of high dynamic range, so that the image has to be tone-mapped.
    public var isHDR: Bool { transfer == .pq || transfer == .hlg }
}
