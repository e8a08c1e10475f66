import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How the values of a gain map make an image brighter. Ultra HDR Image Format 1.1 and ISO 21496-1 have the same formula:
///
/// HDR = (SDR + base offset) · 2^(weight · gain) − HDR offset, where the gain is least + (most − least) · value^(1 / gamma).
struct GainMapFormula: Hashable {
    /// The parameters of red, green or blue.
    struct Channel: Hashable {
        /// The gains of the values 0 and 1, as powers of 2.
        var least, most: Double
        var gamma: Double
        /// What is added to the light of the image, and subtracted from that of the result.
        var baseOffset, hdrOffset: Double
    }

    /// One for all channels, or three.
    let channels: [Channel]
    /// The headrooms, as powers of 2, up to which nothing is added, and from which all is.
    private let leastHeadroom, fullHeadroom: Double
    /// Whether gains are for the primaries of the image.
    private(set) var usesBasePrimaries = true

    /// Returns what a JPEG file says about its map. Nil for Apple's older kind, and for maps that make a bright image darker.
    static func read(from description: [JPEGFile.Segment]) -> GainMapFormula? {
        let block = description.first(where: \.isISOGainMap)?.body.dropFirst(EmbeddedGainMap.identifier.count)
        let xmp = description.first(where: JPEGFile.isXMP)?.body.dropFirst(JPEGFile.xmpPrefix.count)
        return block.flatMap { GainMapFormula(block: $0) } ?? xmp.flatMap { GainMapFormula(xmp: $0) }
    }

    /// Reads the binary block (ISO 21496-1, annex C.2): versions, flags, two headrooms and the channels, in fractions.
    ///
    /// Earlier versions of libultrahdr set a flag for one divisor, which then precedes all numbers.
    private init?(block: Data) {
        guard block.bigEndian(at: 0, 2) == 0, let flags = block.bigEndian(at: 4, 1) else { return nil }
        let hasOneDivisor = flags & 0x08 != 0
        func fraction(_ index: Int, isSigned: Bool) -> Double? {
            let start = hasOneDivisor ? 9 + 4 * index : 5 + 8 * index
            guard let number = block.bigEndian(at: start, 4, as: UInt32.self),
                let divisor = block.bigEndian(at: hasOneDivisor ? 5 : start + 4, 4), divisor > 0
            else { return nil }
            return (isSigned ? Double(Int32(bitPattern: number)) : Double(number)) / Double(divisor)
        }
        let lists = (0..<5).map { parameter in
            (0..<(flags & 0x80 == 0 ? 1 : 3)).map { fraction(2 + 5 * $0 + parameter, isSigned: parameter != 2) }
        }
        self.init(lists, [fraction(0, isSigned: false), fraction(1, isSigned: false)])
        usesBasePrimaries = flags & 0x40 != 0
    }

    /// Reads the properties of XMP (Ultra HDR Image Format 1.1).
    private init?(xmp: Data) {
        func numbers(_ name: String, default standard: Double? = nil) -> [Double?] {
            let texts = XMPPacket.texts(of: "hdrgm:" + name, in: xmp)
            return texts.isEmpty ? [standard] : texts.map { Double($0) }
        }
        guard XMPPacket.texts(of: "hdrgm:BaseRenditionIsHDR", in: xmp).first?.lowercased() != "true" else { return nil }
        let lists = [
            numbers("GainMapMin", default: 0), numbers("GainMapMax"), numbers("Gamma", default: 1),
            numbers("OffsetSDR", default: 1 / 64), numbers("OffsetHDR", default: 1 / 64),
        ]
        self.init(lists, [numbers("HDRCapacityMin", default: 0)[0], numbers("HDRCapacityMax")[0]])
    }

    /// - Parameters:
    ///   - lists: Five parameters, each with one value for all channels or three.
    ///   - headrooms: Those of the image and of the full effect.
    private init?(_ lists: [[Double?]], _ headrooms: [Double?]) {
        let values = lists.map { $0.compactMap { $0 } }
        let limits = headrooms.compactMap { $0 }
        // Larger numbers make light that isn't finite.
        guard limits.count == 2, limits[0] < limits[1], limits.allSatisfy({ abs($0) <= 100 }),
            zip(values, lists).allSatisfy({ $0.count == $1.count }),
            values.allSatisfy({ [1, 3].contains($0.count) && $0.allSatisfy { abs($0) <= 100 } }),
            values[2].allSatisfy({ $0 > 0 })
        else { return nil }
        channels = (0..<(values.map(\.count).max() ?? 1)).map { index in
            let parameters = values.map { $0.count == 1 ? $0[0] : $0[index] }
            return Channel(
                least: parameters[0], most: parameters[1], gamma: parameters[2], baseOffset: parameters[3],
                hdrOffset: parameters[4])
        }
        leastHeadroom = limits[0]
        fullHeadroom = limits[1]
    }

    /// Returns the factors for the values from 0 to 255 of a channel, from 0 to 2.
    func factors(of channel: Int, for range: DynamicRange) -> [Float] {
        let channel = self[channel]
        let weight = (log2(range.headroom) - leastHeadroom) / (fullHeadroom - leastHeadroom)
        return (0...255).map { value in
            let part = pow(Double(value) / 255, 1 / channel.gamma)
            return Float(exp2(min(max(weight, 0), 1) * (channel.least + (channel.most - channel.least) * part)))
        }
    }

    subscript(channel: Int) -> Channel { channels[min(channel, channels.count - 1)] }

    /// Returns the brightest light of an image for a display, as a multiple of white.
    func headroom(for range: DynamicRange) -> Double { min(range.headroom, exp2(fullHeadroom)) }
}
