public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ImageFormat {
    /// Images coded with HEVC in a HEIF container (ISO/IEC 23008-12).
    public static let heic = ImageFormat(rawValue: "heic")
    /// Images coded with AV1 in a HEIF container (AV1 Image File Format).
    public static let avif = ImageFormat(rawValue: "avif")
}

/// Tells the formats of this module by the first bytes of a file. Pure Swift, on every platform.
public enum FileSignature {
    /// Nil for what is none of the six formats. Looks at 32 bytes at most; never traps.
    public static func format(of prefix: Data) -> ImageFormat? {
        let bytes = Array(prefix.prefix(32))
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return .gif }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
        return FileTypeBox(bytes)?.format
    }
}

/// The box with which a file in the ISO base media format begins (ISO/IEC 14496-12, 4.3): a major brand, a version, and the
/// brands with which the file is compatible.
private struct FileTypeBox {
    /// The major brand first; as many as lie in the bytes at hand.
    private let brands: [[UInt8]]

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        // 1 stands for a length of 64 bits and 0 for the rest of the file: no writer needs either for this box.
        guard length >= 16 else { return nil }
        let compatible = stride(from: 16, to: min(length, bytes.count) - 3, by: 4).map { Array(bytes[$0..<$0 + 4]) }
        brands = [Array(bytes[8..<12])] + compatible
    }

    /// By the major brand if it says what the images are coded with, else by the first compatible one that does.
    ///
    /// `mif1` and `msf1` tell only that there are images: such a file without a better brand is taken for HEIC, as which
    /// cameras write it.
    var format: ImageFormat? {
        for brand in brands {
            if Self.avif.contains(where: { brand.elementsEqual($0.utf8) }) { return .avif }
            if Self.heic.contains(where: { brand.elementsEqual($0.utf8) }) { return .heic }
        }
        return brands.contains { $0.elementsEqual("mif1".utf8) || $0.elementsEqual("msf1".utf8) } ? .heic : nil
    }

    /// Stills and sequences (AVIF 1.1, section 6).
    private static let avif = ["avif", "avis"]
    /// Main, extended-range and layered profiles, stills and sequences (ISO/IEC 23008-12, B.4).
    private static let heic = ["heic", "heix", "heim", "heis", "hevc", "hevx"]
}
