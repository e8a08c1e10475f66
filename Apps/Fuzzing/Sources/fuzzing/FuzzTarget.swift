import FoundationEssentials
import GeneratedImages
import ImageCodecAVIF
import ImageCodecBMP
import ImageCodecGIF
import ImageCodecHEIF
import ImageCodecJPEG
import ImageCodecJXL
import ImageCodecPNG
import ImageCodecSVG
import ImageCodecTIFF
import ImageCodecWebP
import ImageColorManagement
import ImageContractTesting
import ImageCore
import ImageDecoding
import ImageMetadata
import ImageProcessing

#if os(Linux)
    @_spi(Fuzzing) import ImageDecodingIsolation
#endif

/// A part of the library to fuzz, selected by name.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, webp, gif, avif, heif, jxl, bmp, ico, tiff, svg
    case incrementalJPEG = "incremental-jpeg"
    case incrementalPNG = "incremental-png"
    case incrementalWebP = "incremental-webp"
    case incrementalJXL = "incremental-jxl"
    case sniffer, pipeline, exif, metadata
    case workerReply = "worker-reply"

    /// Returns the initial corpus: all generated images of the target's formats. Scripts/fuzz adds files of `Tests`.
    func seeds() throws -> [(name: String, data: Data)] {
        if self == .exif { return GeneratedImage.exifBlocks() }
        if self == .svg { return [("drawing", Self.drawing)] }
        #if os(Linux)
            if self == .workerReply {
                return WorkerReplyFuzzing.seeds.enumerated().map { ("\($0.offset)", $0.element) }
            }
        #endif
        let images = try GeneratedImage.all().filter { formats.contains($0.format) }
        return images.map {
            let data = self == .metadata ? try? MetadataCheck.metadata.embedded(in: $0.data) : nil
            return ("\($0.format)-\($0.name)", data ?? $0.data)
        }
    }

    /// An SVG file with elements of many kinds.
    private static let drawing = Data(
        """
        <?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e '9'>]>
        <svg xmlns="http://www.w3.org/2000/svg" width="3mm" height="9" viewBox="0 0 20 10">
        <style>.a { fill: url(#g); opacity: .5 }</style>
        <defs><linearGradient id="g"><stop offset="50%" stop-color="#f00"/></linearGradient>
        <pattern id="p" width="2" height="2"><circle r="1"/></pattern><clipPath id="c"><rect width="9" height="9"/></clipPath>
        <filter id="f"><feGaussianBlur stdDeviation="1"/><feTurbulence baseFrequency=".1"/></filter></defs>
        <g transform="rotate(9)" clip-path="url(#c)"><path id="q" class="a" d="M0 0L9 9A1 2 3 0 1 4 5z"/></g>
        <use href="#q" filter="url(#f)"/><text x="1" y="&e;">text</text><ellipse rx="3" ry="2" fill="url(#p)"/>
        <image width="4" height="4" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"/></svg>
        """.utf8)

    private var formats: [ImageFormat] {
        switch self {
        case .jpeg, .incrementalJPEG: [.jpeg]
        case .png, .incrementalPNG: [.png]
        case .webp, .incrementalWebP: [.webP]
        case .gif: [.gif]
        case .avif: [.avif]
        case .heif: [.heic]
        case .jxl, .incrementalJXL: [.jpegXL]
        case .bmp: [.bmp]
        case .ico: [.ico]
        case .tiff: [.tiff]
        case .svg: [.svg]
        case .sniffer, .pipeline: Self.decoders.map(\.format)
        case .metadata: Self.decoders.map(\.format).filter { !EmbeddedMetadata.blocks(writtenTo: $0).isEmpty }
        case .exif, .workerReply: []
        }
    }

    /// Checks an input and throws if a promise is broken. Nil if the modules don't support the target.
    var check: ((Data) throws(ContractViolation) -> Void)? {
        switch self {
        case .jpeg, .png, .webp, .gif, .avif, .heif, .jxl, .bmp, .ico, .tiff: decoder.map(Self.whole)
        case .svg: decoder.map(Self.once)
        case .incrementalJPEG, .incrementalPNG, .incrementalWebP, .incrementalJXL:
            (decoder as? any IncrementalImageDecoder).map(Self.incremental)
        case .sniffer: { data throws(ContractViolation) in try FormatSnifferCheck().check(data) }
        case .pipeline: { data throws(ContractViolation) in try PipelineCheck().check(data) }
        case .exif: { data throws(ContractViolation) in try Self.readOrientation(in: data) }
        case .metadata: { data throws(ContractViolation) in try MetadataCheck().check(data) }
        case .workerReply: Self.replyCheck
        }
    }

    private var decoder: (any ImageDecoder)? { Self.decoders.first { formats.contains($0.format) } }

    static var decoders: [any ImageDecoder] {
        [
            JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(), AVIFDecoder(), HEIFDecoder(), JXLDecoder(),
            BMPDecoder(), ICODecoder(png: PNGDecoder()), TIFFDecoder(), SVGDecoder(),
        ]
    }

    private static func whole(_ decoder: any ImageDecoder) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in try HostileInputCheck(decoder).check(data) }
    }

    /// Decodes the image once, because librsvg can take a second for it.
    private static func once(_ decoder: any ImageDecoder) -> (Data) throws(ContractViolation) -> Void {
        { data throws(ContractViolation) in try HostileInputCheck(decoder).checkBriefly(data) }
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

    private static var replyCheck: ((Data) throws(ContractViolation) -> Void)? {
        #if os(Linux)
            return { data throws(ContractViolation) in
                if let header = WorkerReplyFuzzing.wrongHeader(in: data) { throw ContractViolation("\(header)") }
            }
        #else
            return nil
        #endif
    }

    private static func readOrientation(in data: Data) throws(ContractViolation) {
        let orientation = ExifReader.orientation(in: data)
        try expect(orientation == ExifReader.orientation(in: (Data([0]) + data).dropFirst()), "differs in a slice")
    }
}
