import FoundationEssentials
import GeneratedImages
import ImageCodecAVIF
import ImageCodecGIF
import ImageCodecHEIF
import ImageCodecJPEG
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecWebP
import ImageColorManagement
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageProcessing

/// A part of the library to fuzz, selected by name.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, webp, gif, avif, heif, jxl
    case incrementalJPEG = "incremental-jpeg"
    case incrementalPNG = "incremental-png"
    case incrementalWebP = "incremental-webp"
    case incrementalJXL = "incremental-jxl"
    case sniffer, pipeline, exif

    /// Returns the initial corpus: all generated images of the target's formats.
    func seeds() throws -> [(name: String, data: Data)] {
        if self == .exif { return GeneratedImage.exifBlocks() }
        let images = try GeneratedImage.all().filter { formats.contains($0.format) }
        return images.map { ("\($0.format)-\($0.name)", $0.data) }
    }

    private var formats: [ImageFormat] {
        switch self {
        case .jpeg, .incrementalJPEG: [.jpeg]
        case .png, .incrementalPNG: [.png]
        case .webp, .incrementalWebP: [.webP]
        case .gif: [.gif]
        case .avif: [.avif]
        case .heif: [.heic]
        case .jxl, .incrementalJXL: [.jpegXL]
        case .sniffer, .pipeline: [.jpeg, .png, .webP, .gif, .avif, .heic, .jpegXL]
        case .exif: []
        }
    }

    /// Checks an input and throws if a promise is broken. Nil if the modules don't support the target.
    var check: ((Data) throws(ContractViolation) -> Void)? {
        switch self {
        case .jpeg, .png, .webp, .gif, .avif, .heif, .jxl: decoder.map(Self.whole)
        case .incrementalJPEG, .incrementalPNG, .incrementalWebP, .incrementalJXL:
            (decoder as? any IncrementalImageDecoder).map(Self.incremental)
        case .sniffer: { data throws(ContractViolation) in try FormatSnifferCheck().check(data) }
        case .pipeline: { data throws(ContractViolation) in try PipelineCheck().check(data) }
        case .exif: { data throws(ContractViolation) in try Self.readOrientation(in: data) }
        }
    }

    private var decoder: (any ImageDecoder)? { Self.decoders.first { formats.contains($0.format) } }

    static var decoders: [any ImageDecoder] {
        [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(), AVIFDecoder(), HEIFDecoder(), JXLDecoder()]
    }

    private static func whole(_ decoder: any ImageDecoder) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in try HostileInputCheck(decoder).check(data) }
    }

    /// The last bytes of an input determine how it is split. After the end of an image, they have no other effect.
    private static func incremental(
        _ decoder: any IncrementalImageDecoder
    ) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in
            let choices = data.suffix(8).map(Int.init)
            let lengths = choices.map { $0 < 128 ? $0 : ($0 - 127) * 31 }
            let choice = choices.last ?? 0
            // A JPEG without an end marker can be decoded at once, but during a download more bytes might follow.
            try IncrementalDecodingCheck(decoder, expectsWholeImages: decoder.format == .png).check(
                data, splitInto: lengths, divisor: [1, 2, 4, 8][choice & 3], layout: choice & 4 == 0 ? .rgba8 : nil)
        }
    }

    private static func readOrientation(in data: Data) throws(ContractViolation) {
        let orientation = ExifReader.orientation(in: data)
        try expect(orientation == ExifReader.orientation(in: (Data([0]) + data).dropFirst()), "differs in a slice")
    }
}
