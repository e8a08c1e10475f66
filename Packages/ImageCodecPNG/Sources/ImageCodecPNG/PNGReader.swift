import CImageCodecPNG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One pass of the library over a file.
///
/// Safe to the outside as long as the bytes given to `init` outlive it: the users in this module keep it within the closure
/// that lends them the bytes.
@safe final class PNGReader {
    private let reader: OpaquePointer
    private let limits: DecodingLimits

    @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>, limits: DecodingLimits) throws(DecodingFailure) {
        let metadataBytes = max(1, limits.metadataBytes)  // the library takes 0 for no limit
        guard let reader = unsafe ilp_reader_create(bytes.baseAddress, bytes.count, metadataBytes) else {
            throw .malformed(.png, "no memory to read it")
        }
        unsafe self.reader = reader
        self.limits = limits
    }

    deinit { unsafe ilp_reader_destroy(reader) }

    func readHeader() throws(DecodingFailure) -> PNGHeader {
        var found = unsafe ilp_header()
        try check(unsafe ilp_reader_read_header(reader, &found))
        let size = unsafe PixelSize(width: Int(found.width), height: Int(found.height))
        try limits.check(size)
        let profile = unsafe found.icc.map { unsafe Data(UnsafeBufferPointer(start: $0, count: found.icc_length)) }
        return unsafe PNGHeader(
            size: size, isGray: found.is_gray, hasAlpha: found.has_alpha, isInterlaced: found.is_interlaced,
            profile: profile.flatMap { $0.count <= limits.metadataBytes ? $0 : nil })
    }

    /// Checks the memory that the decode needs, then has the library take what it needs for a few rows.
    func start(_ header: PNGHeader, layout: PixelLayout) throws(DecodingFailure) {
        try header.checkMemory(layout: layout, limits: limits)
        var rowBytes = 0
        try check(unsafe ilp_reader_start(reader, ilp_layout(layout), &rowBytes))
        guard rowBytes == header.size.width * layout.bytesPerPixel else {
            throw .unsupported(.png, "rows of \(rowBytes) bytes")
        }
    }

    /// Hands the rows to `sink`, then makes sure that the file ends as it should.
    func readRows(of header: PNGHeader, layout: PixelLayout, into sink: any PixelRowSink) throws(DecodingFailure) {
        let stride = header.size.width * layout.bytesPerPixel
        if header.isInterlaced {
            try readInterlaced(header.size, stride: stride, into: sink)
        } else {
            try readInOrder(header.size, stride: stride, into: sink)
        }
        try check(unsafe ilp_reader_finish(reader))
    }

    private func readInOrder(_ size: PixelSize, stride: Int, into sink: any PixelRowSink) throws(DecodingFailure) {
        let capacity = PNGHeader.batchRows(stride: stride, height: size.height)
        var rows = [UInt8](repeating: 0, count: stride * capacity)
        for first in Swift.stride(from: 0, to: size.height, by: capacity) {
            let count = min(capacity, size.height - first)
            let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
                unsafe ilp_reader_read_rows(reader, rows.baseAddress, Int32(count))
            }
            try check(status)
            try deliver(rows.span, count: count, stride: stride, to: sink)
        }
    }

    /// Interlaced pixels come in seven passes over the picture, so all of it is held, beside the output.
    private func readInterlaced(_ size: PixelSize, stride: Int, into sink: any PixelRowSink) throws(DecodingFailure) {
        var rows = [UInt8](repeating: 0, count: stride * size.height)
        let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
            unsafe ilp_reader_read_interlaced(reader, rows.baseAddress)
        }
        try check(status)
        try deliver(rows.span, count: size.height, stride: stride, to: sink)
    }

    private func deliver(
        _ rows: Span<UInt8>, count: Int, stride: Int, to sink: any PixelRowSink
    ) throws(DecodingFailure) {
        for index in 0..<count { try sink.receive(rows.extracting(index * stride..<(index + 1) * stride)) }
    }

    private func check(_ status: ilp_status) throws(DecodingFailure) {
        switch status {
        case ILP_OK: return
        case ILP_TRUNCATED: throw .truncated(.png)
        case ILP_OUT_OF_MEMORY:
            let value = max(limits.decodedBytes, limits.decodedBytes &+ 1)
            throw .limitExceeded(.decodedBytes, value: value, allowed: limits.decodedBytes)
        default: throw unsafe .malformed(.png, String(cString: ilp_reader_message(reader)))
        }
    }
}

/// What the chunks before the pixels say.
struct PNGHeader {
    let size: PixelSize
    let isGray: Bool
    let hasAlpha: Bool
    let isInterlaced: Bool
    let profile: Data?

    /// Without the orientation, which may stand behind the pixels.
    var imageHeader: ImageHeader {
        ImageHeader(
            format: .png, storedSize: size, hasAlpha: hasAlpha, colorProfile: profile, nativeLayout: nativeLayout)
    }

    /// Bytes of the whole picture in `layout` when it is interlaced, else 0. `Int.max` when they overflow.
    func heldBytes(layout: PixelLayout) -> Int { isInterlaced ? Self.bytes(size.area, layout) : 0 }

    /// An interlaced picture must fit in the limit together with its output, of others a few rows.
    func checkMemory(layout: PixelLayout, limits: DecodingLimits) throws(DecodingFailure) {
        let stride = Self.bytes(size.width, layout)
        let rows = stride * Self.batchRows(stride: stride, height: size.height)
        let (sum, overflow) = heldBytes(layout: layout).addingReportingOverflow(Self.bytes(size.area, .rgba8))
        try limits.check(.decodedBytes, isInterlaced ? (overflow ? .max : sum) : rows)
    }

    /// How many rows of a picture that is not interlaced are read at a time.
    static func batchRows(stride: Int, height: Int) -> Int { max(1, min(16, batchBytes / stride, height)) }

    /// Small enough to stay in the processor's second-level cache.
    private static let batchBytes = 128 << 10

    private static func bytes(_ pixels: Int, _ layout: PixelLayout) -> Int {
        let (bytes, overflow) = pixels.multipliedReportingOverflow(by: layout.bytesPerPixel)
        return overflow ? .max : bytes
    }

    /// A profile for grey can only be applied to grey.
    private var nativeLayout: PixelLayout {
        guard isGray, profile != nil else { return .rgba8 }
        return hasAlpha ? .grayAlpha8 : .gray8
    }
}

extension ilp_layout {
    init(_ layout: PixelLayout) {
        switch layout {
        case .gray8: self = ILP_GRAY8
        case .grayAlpha8: self = ILP_GRAY_ALPHA8
        case .rgba8, .cmyk8: self = ILP_RGBA8
        }
    }
}
