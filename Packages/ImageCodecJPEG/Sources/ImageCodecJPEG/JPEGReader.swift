import CImageCodecJPEG
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
@safe final class JPEGReader {
    private let reader: OpaquePointer

    /// What the limits leave for metadata and for memory are checked by the callers.
    @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodingFailure) {
        guard let reader = unsafe ilj_reader_create(bytes.baseAddress, bytes.count) else {
            throw .malformed(.jpeg, "no memory to read it")
        }
        unsafe self.reader = reader
    }

    deinit { unsafe ilj_reader_destroy(reader) }

    /// Checks the size, and the memory that any decode of this picture needs, against `limits`.
    func readHeader(limits: DecodingLimits) throws(DecodingFailure) -> JPEGHeader {
        var found = unsafe ilj_header()
        try check(unsafe ilj_reader_read_header(reader, &found), limits: limits)
        let size = unsafe PixelSize(width: Int(found.width), height: Int(found.height))
        try limits.check(size)
        guard let model = unsafe JPEGHeader.Model(found.model) else {
            throw .unsupported(.jpeg, "an unknown colour model")
        }
        let coefficientBytes = unsafe Int(clamping: found.coefficient_bytes)
        try limits.check(.decodedBytes, coefficientBytes)
        let exif = unsafe found.exif.map { unsafe Data(UnsafeBufferPointer(start: $0, count: found.exif_length)) }
        let profileLength = unsafe found.icc_length
        return JPEGHeader(
            size: size, model: model, coefficientBytes: coefficientBytes,
            exif: exif.flatMap { $0.count <= limits.metadataBytes ? $0 : nil },
            profile: profileLength <= limits.metadataBytes ? profile(length: profileLength) : nil)
    }

    private func profile(length: Int) -> Data? {
        if length == 0 { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            if let start = buffer.baseAddress { unsafe ilj_reader_copy_icc(reader, start) }
            count = length
        }
        return Data(bytes)
    }

    /// Reads a picture of several scans to its end; of others, the first bytes.
    func start(
        size: PixelSize, layout: PixelLayout, scale: DCTScale, limits: DecodingLimits
    ) throws(DecodingFailure) {
        let status = unsafe ilj_reader_start(
            reader, ilj_layout(layout), Int32(scale.denominator), limits.decodedBytes,
            Int32(clamping: limits.scans))
        try check(status, limits: limits)
        var width: Int32 = 0
        var height: Int32 = 0
        unsafe ilj_reader_output_size(reader, &width, &height)
        guard size == PixelSize(width: Int(width), height: Int(height)) else {
            throw .unsupported(.jpeg, "the library scales to \(width)x\(height), not to \(size)")
        }
    }

    /// Hands the rows to `sink`, a few at a time so that the library is not entered for each.
    func readRows(size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink) throws(DecodingFailure) {
        let stride = size.width * layout.bytesPerPixel
        let capacity = max(1, min(16, Self.batchBytes / stride))
        var rows = [UInt8](repeating: 0, count: stride * capacity)
        var row = 0
        while row < size.height {
            let count = try readBatch(&rows, stride: stride, capacity: capacity)
            if count == 0 { throw .malformed(.jpeg, "fewer rows than the header says") }
            for index in 0..<count {
                try sink.receive(rows.span.extracting(index * stride..<(index + 1) * stride))
            }
            row += count
        }
    }

    private func readBatch(_ rows: inout [UInt8], stride: Int, capacity: Int) throws(DecodingFailure) -> Int {
        var produced: Int32 = 0
        let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
            unsafe ilj_reader_read_rows(reader, rows.baseAddress, stride, Int32(capacity), &produced)
        }
        try check(status)
        return Int(produced)
    }

    private func check(_ status: ilj_status, limits: DecodingLimits = .default) throws(DecodingFailure) {
        switch status {
        case ILJ_OK: return
        case ILJ_TRUNCATED: throw .truncated(.jpeg)
        case ILJ_UNSUPPORTED: throw .unsupported(.jpeg, message)
        case ILJ_OUT_OF_MEMORY:
            let value = max(limits.decodedBytes, limits.decodedBytes &+ 1)
            throw .limitExceeded(.decodedBytes, value: value, allowed: limits.decodedBytes)
        case ILJ_TOO_MANY_SCANS:
            throw unsafe .limitExceeded(
                .scans, value: Int(ilj_reader_scan_number(reader)), allowed: limits.scans)
        default: throw .malformed(.jpeg, message)
        }
    }

    private var message: String { unsafe String(cString: ilj_reader_message(reader)) }

    /// Small enough to stay in the processor's second-level cache.
    private static let batchBytes = 128 << 10
}

/// What the markers before the first scan say.
struct JPEGHeader {
    enum Model {
        case gray, color, ink
    }

    let size: PixelSize
    let model: Model
    /// Bytes that the library holds for the whole picture, whatever the size it is decoded to; 0 for a picture of one scan.
    let coefficientBytes: Int
    let exif: Data?
    let profile: Data?

    var imageHeader: ImageHeader {
        ImageHeader(
            format: .jpeg, storedSize: size, orientation: exif.flatMap(ExifReader.orientation) ?? .up,
            colorProfile: profile, nativeLayout: nativeLayout)
    }

    /// A profile for grey or ink can only be applied to grey or ink.
    private var nativeLayout: PixelLayout {
        switch model {
        case .color: .rgba8
        case .gray: profile == nil ? .rgba8 : .gray8
        case .ink: profile == nil ? .rgba8 : .cmyk8
        }
    }

    /// The output of a decode to `size` and the coefficients together must fit in the limit.
    func checkMemory(for size: PixelSize, layout: PixelLayout, limits: DecodingLimits) throws(DecodingFailure) {
        let (output, overflow) = size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        let (sum, sumOverflow) = output.addingReportingOverflow(coefficientBytes)
        try limits.check(.decodedBytes, overflow || sumOverflow ? .max : sum)
    }
}

extension JPEGHeader.Model {
    init?(_ model: ilj_model) {
        switch model {
        case ILJ_GRAY: self = .gray
        case ILJ_COLOR: self = .color
        case ILJ_CMYK: self = .ink
        default: return nil
        }
    }
}

extension ilj_layout {
    init(_ layout: PixelLayout) {
        switch layout {
        case .gray8, .grayAlpha8: self = ILJ_GRAY8
        case .cmyk8: self = ILJ_CMYK8
        case .rgba8: self = ILJ_RGBA8
        }
    }
}
