import CImageCodecJPEG
import ImageCore

/// Reads a file, or a stream of its bytes, with libjpeg.
///
/// Safe if the bytes passed to `init` outlive the reader: its users in this module keep it within the closure that
/// receives the bytes. A stream owns its bytes.
@safe final class JPEGReader {
    private let reader: OpaquePointer

    /// Creates a reader of a whole file. The caller checks the limits.
    @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageDecodingError) {
        guard let reader = unsafe ilj_reader_create(bytes.baseAddress, bytes.count) else {
            throw .malformed(.jpeg, "out of memory")
        }
        unsafe self.reader = reader
    }

    /// Creates a reader of a stream. Metadata above the limit is ignored.
    init(streamWithin limits: DecodingLimits) throws(ImageDecodingError) {
        guard let reader = unsafe ilj_reader_create_stream(max(0, limits.metadataByteLimit)) else {
            throw .malformed(.jpeg, "out of memory")
        }
        unsafe self.reader = reader
    }

    deinit { unsafe ilj_reader_destroy(reader) }

    /// Appends bytes to a stream.
    func append(_ bytes: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        let span = bytes.span
        let status = unsafe span.withUnsafeBufferPointer { bytes in
            unsafe ilj_reader_append(reader, bytes.baseAddress, bytes.count)
        }
        try check(status, limits: limits)
    }

    /// Reads the header. Checks the size, and the least memory for decoding, against `limits`.
    ///
    /// - Returns: `nil` if a stream does not reach the first scan yet.
    func readHeader(limits: DecodingLimits) throws(ImageDecodingError) -> JPEGHeader? {
        var found = ilj_header()
        let status = unsafe ilj_reader_read_header(reader, &found)
        if status == ILJ_INCOMPLETE { return nil }
        try check(status, limits: limits)
        let size = PixelSize(width: Int(found.width), height: Int(found.height))
        try limits.check(size)
        if found.model == ILJ_OTHER { throw .unsupported(.jpeg, "unknown color model") }
        let held = found.coefficient_bytes
        let coefficientBytes = [held.0, held.1, held.2, held.3].map(Int.init(clamping:))
        try limits.check(.decodedBytes, coefficientBytes.min() ?? 0)
        let profileLength = found.icc_length
        return JPEGHeader(
            size: size, model: found.model, coefficientBytes: coefficientBytes,
            hasSeveralScans: found.has_multiple_scans, isProgressive: found.is_progressive,
            exif: exif(count: Int(found.exif_count)).filter { $0.count <= limits.metadataByteLimit },
            profile: profileLength <= limits.metadataByteLimit ? profile(length: profileLength) : nil,
            hasGainMap: found.has_gain_map)
    }

    private func exif(count: Int) -> [Data] {
        (0..<count).map { index in
            var length = 0
            let start = unsafe ilj_reader_exif(reader, Int32(index), &length)
            return unsafe Data(UnsafeBufferPointer(start: start, count: length))
        }
    }

    private func profile(length: Int) -> Data? {
        if length == 0 { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            if let start = buffer.baseAddress { unsafe ilj_reader_copy_icc(reader, start) }
            count = length
        }
        return Data(bytes)
    }

    /// Prepares decoding. Allocates the coefficients of an image with several scans.
    func start(
        size: PixelSize, layout: PixelLayout, scale: DCTScale, preference: DecodingPreference, limits: DecodingLimits
    ) throws(ImageDecodingError) {
        let options = ilj_options(
            layout: ilj_layout(layout), denominator: Int32(scale.denominator), memory: limits.decodedByteLimit,
            max_scans: Int32(clamping: limits.maxScans), prefers_speed: preference == .speed)
        try check(unsafe ilj_reader_start(reader, options), limits: limits)
        var width: Int32 = 0
        var height: Int32 = 0
        unsafe ilj_reader_output_size(reader, &width, &height)
        guard size == PixelSize(width: Int(width), height: Int(height)) else {
            throw .unsupported(.jpeg, "libjpeg scales to \(width)x\(height), not to \(size)")
        }
    }

    /// Reads a small part of the scans of an image with several scans.
    func readScans(limits: DecodingLimits) throws(ImageDecodingError) -> ilj_progress {
        var progress = ILJ_DONE
        try check(unsafe ilj_reader_read_scans(reader, &progress), limits: limits)
        return progress
    }

    /// The number of completely read scans.
    var scansRead: Int { unsafe Int(ilj_reader_scans_read(reader)) }

    /// Calls `readRows`, which reads rows of an image with several scans, decoded from the scans read so far.
    func readPass(_ readRows: () throws(ImageDecodingError) -> Void) throws(ImageDecodingError) {
        try check(unsafe ilj_reader_start_pass(reader))
        let outcome = Result { () throws(ImageDecodingError) in try readRows() }
        try check(unsafe ilj_reader_end_pass(reader))
        try outcome.get()
    }

    /// Writes the rows into the image of `sink`, or sends them one by one if it needs rows.
    ///
    /// Sends the available rows of a truncated file before `.truncated` is thrown.
    func readRows(size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink) throws(ImageDecodingError) {
        let stride = size.width * layout.bytesPerPixel
        let isWritten = try sink.receiveImage(byteCount: stride * size.height) { image throws(ImageDecodingError) in
            var row = 0
            while row < size.height {
                try sink.checkCancellation()
                let (count, status) = readBatch(&image, at: row * stride, stride: stride)
                try check(status)
                if count == 0 { throw .malformed(.jpeg, "fewer rows than in the header") }
                row += count
            }
        }
        if !isWritten { try sendRows(size.height, stride: stride, bytes: 0..<stride, to: sink) }
    }

    /// Sends the rows of a part of the image at its stored size. The file needs to be complete only up to the last of them.
    func readRows(
        of part: PixelArea, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        var (left, width) = (Int32(part.left), Int32(part.width))
        try check(unsafe ilj_reader_crop(reader, &left, &width))
        for row in stride(from: 0, to: part.top, by: Self.skippedRows) {
            try sink.checkCancellation()
            try check(unsafe ilj_reader_skip_rows(reader, Int32(min(Self.skippedRows, part.top - row))))
        }
        let pixel = layout.bytesPerPixel
        let start = (part.left - Int(left)) * pixel
        try sendRows(
            part.height, stride: Int(width) * pixel, bytes: start..<start + part.width * pixel, to: sink)
    }

    /// Sends these bytes of the rows to `sink`, in small batches to reduce the calls of libjpeg.
    private func sendRows(
        _ height: Int, stride: Int, bytes: Range<Int>, to sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        var rows = [UInt8](repeating: 0, count: stride * Self.batchCapacity(stride: stride))
        var row = 0
        while row < height {
            let (count, status) = readBatch(&rows, atMost: height - row, stride: stride)
            for index in 0..<count {
                try sink.receive(
                    rows.span.extracting(index * stride + bytes.lowerBound..<index * stride + bytes.upperBound))
            }
            try check(status)
            if count == 0 { throw .malformed(.jpeg, "fewer rows than in the header") }
            row += count
        }
    }

    /// Decodes the available rows of a stream with one scan and appends them to `rows`.
    func readAvailableRows(stride: Int, to rows: inout [UInt8]) throws(ImageDecodingError) {
        var batch = [UInt8](repeating: 0, count: stride * Self.batchCapacity(stride: stride))
        while unsafe ilj_reader_feed_more(reader) {
            var count = 0
            repeat {
                let (read, status) = readBatch(&batch, stride: stride)
                rows += batch[..<(read * stride)]
                try check(status)
                count = read
            } while count > 0
        }
    }

    /// Reads up to 16 rows, as far as they fit.
    private func readBatch(
        _ rows: inout [UInt8], at offset: Int = 0, atMost limit: Int = batchRows, stride: Int
    ) -> (count: Int, status: ilj_status) {
        let capacity = min(limit, Self.batchRows, (rows.count - offset) / stride)
        var produced: Int32 = 0
        let status = unsafe rows.withUnsafeMutableBufferPointer { rows in
            let first = unsafe rows.baseAddress.map { unsafe $0 + offset }
            return unsafe ilj_reader_read_rows(reader, first, stride, Int32(capacity), &produced)
        }
        return (Int(produced), status)
    }

    private func check(_ status: ilj_status, limits: DecodingLimits = .default) throws(ImageDecodingError) {
        switch status {
        case ILJ_OK: return
        case ILJ_TRUNCATED: throw .truncated(.jpeg)
        case ILJ_UNSUPPORTED: throw .unsupported(.jpeg, message)
        case ILJ_OUT_OF_MEMORY:
            let value = max(limits.decodedByteLimit, limits.decodedByteLimit &+ 1)
            throw .limitExceeded(.decodedBytes, value: value, allowed: limits.decodedByteLimit)
        case ILJ_TOO_MANY_SCANS:
            throw .limitExceeded(.scans, value: scansRead + 1, allowed: limits.maxScans)
        default: throw .malformed(.jpeg, message)
        }
    }

    private var message: String { unsafe String(cString: ilj_reader_message(reader)) }

    private static let batchRows = 16
    /// The rows to skip between checks for cancellation.
    private static let skippedRows = 128

    /// Returns the number of rows in a batch, which fits in the second-level cache.
    private static func batchCapacity(stride: Int) -> Int { max(1, min(batchRows, (128 << 10) / stride)) }
}

/// The contents of the markers before the first scan.
struct JPEGHeader {
    let size: PixelSize
    let model: ilj_color_model
    /// The maximum size of the coefficients in bytes at scale 1, 1/2, 1/4 and 1/8. 0 for an image with one scan.
    let coefficientBytes: [Int]
    let hasSeveralScans: Bool
    let isProgressive: Bool
    /// The Exif segments, in the order of the file. Some programs put an empty or a damaged one before the real one.
    let exif: [Data]
    let profile: Data?
    let hasGainMap: Bool

    var imageHeader: ImageHeader {
        ImageHeader(
            format: .jpeg, storedSize: size, orientation: exif.lazy.compactMap(ExifReader.orientation).first ?? .up,
            color: profile.map(SourceColor.init(profile:)) ?? .sRGB, nativeLayout: nativeLayout,
            hasGainMap: hasGainMap)
    }

    /// The layout of the profile, if any: gray and CMYK profiles only apply to pixels of their color model.
    private var nativeLayout: PixelLayout {
        if profile == nil || model == ILJ_COLOR { return .rgba8 }
        return model == ILJ_GRAY ? .gray8 : .cmyk8
    }

    /// Returns the scale for `output`.
    ///
    /// - Throws: `.unsupported` if no scale has this size, or if the image can't be decoded to `layout`.
    func scale(to output: PixelSize, layout: PixelLayout) throws(ImageDecodingError) -> DCTScale {
        guard let scale = DCTScale.giving(output, from: size) else {
            throw .unsupported(.jpeg, "\(size) can't be scaled to \(output)")
        }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.jpeg, "the image can't be decoded to the layout \(layout)")
        }
        return scale
    }

    /// Returns the size of the coefficients in bytes while the image is decoded to `output`.
    func heldByteCount(for output: PixelSize) -> Int {
        let scale = DCTScale.giving(output, from: size)?.denominator ?? 1
        return coefficientBytes[scale.trailingZeroBitCount]
    }

    /// Checks that the coefficients at `size` and the output together are within the limit.
    func checkMemory(
        for size: PixelSize, output: PixelSize, layout: PixelLayout, limits: DecodingLimits
    ) throws(ImageDecodingError) {
        try limits.check(.decodedBytes, output.byteCount(layout).plus(heldByteCount(for: size)))
    }
}

extension ilj_layout {
    init(_ layout: PixelLayout) {
        switch layout {
        case .gray8, .grayAlpha8: self = ILJ_GRAY8
        case .cmyk8: self = ILJ_CMYK8
        case .rgba8, .rgba16: self = ILJ_RGBA8
        }
    }
}
