import FoundationEssentials
import GeneratedImages
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageColorManagement
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageProcessing

/// What is fuzzed, chosen by name.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, webp, gif
    case incrementalJPEG = "incremental-jpeg"
    case incrementalPNG = "incremental-png"
    case incrementalWebP = "incremental-webp"
    case sniffer, pipeline, exif

    /// Files to start from: all that our own code makes of the formats in question.
    func seeds() throws -> [(name: String, data: Data)] {
        if self == .exif { return GeneratedImage.exifBlocks() }
        let images = try GeneratedImage.all().filter { formats.contains($0.format) }
        return images.map { ("\($0.format)-\($0.name)", $0.data) }
    }

    private var formats: [ImageFormat] {
        switch self {
        case .jpeg, .incrementalJPEG: [.jpeg]
        case .png, .incrementalPNG: [.png]
        case .webp, .incrementalWebP: [.webp]
        case .gif: [.gif]
        case .sniffer, .pipeline: [.jpeg, .png, .webp, .gif]
        case .exif: []
        }
    }

    /// What is done with each input, or nil when the rooms offer nothing of the kind. Throws when a promise is broken.
    var check: ((Data) throws(ContractViolation) -> Void)? {
        switch self {
        case .jpeg, .png, .webp, .gif: decoder.map(Self.whole)
        case .incrementalJPEG, .incrementalPNG, .incrementalWebP:
            (decoder as? any IncrementalImageDecoder).map(Self.incremental)
        case .sniffer: { data throws(ContractViolation) in try Sniffing().examine(data) }
        case .pipeline: { data throws(ContractViolation) in try Pipeline().examine(data) }
        case .exif: { data throws(ContractViolation) in try Self.readOrientation(in: data) }
        }
    }

    private var decoder: (any ImageDecoder)? { Self.decoders.first { formats.contains($0.format) } }

    static var decoders: [any ImageDecoder] { [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()] }

    private static func whole(_ decoder: any ImageDecoder) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in try HostileInputCheck(decoder).examine(data) }
    }

    /// The last bytes of an input tell where it is cut; behind the end of an image they change nothing else.
    private static func incremental(
        _ decoder: any IncrementalImageDecoder
    ) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in
            let choices = data.suffix(8).map(Int.init)
            let lengths = choices.map { $0 < 128 ? $0 : ($0 - 127) * 31 }
            let choice = choices.last ?? 0
            // A JPEG without its end marker is decoded, but one that comes in might go on.
            try IncrementalDecodingCheck(decoder, expectsWholeImages: decoder.format != .jpeg).examine(
                data, cutInto: lengths, divisor: [1, 2, 4, 8][choice & 3], layout: choice & 4 == 0 ? .rgba8 : nil)
        }
    }

    private static func readOrientation(in data: Data) throws(ContractViolation) {
        let orientation = ExifReader.orientation(in: data)
        try expect(orientation == ExifReader.orientation(in: (Data([0]) + data).dropFirst()), "differs in a slice")
    }
}
