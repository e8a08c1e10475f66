#if TIFF
    import CImageCodecTIFF
    public import ImageCore

    /// Decodes the first page of TIFF (TIFF 6.0) and BigTIFF files with libtiff. Channels of 16 bits are rounded to 8.
    public struct TIFFDecoder: ImageDecoder {
        /// Creates a decoder. It has no state.
        public init() {}

        public var format: ImageFormat { .tiff }

        /// Returns whether the data starts with the byte order and the version of TIFF or BigTIFF.
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .tiff }

        /// Reads the tags of the first page.
        ///
        /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            do throws(ImageDecodingError) {
                return try OpenedTIFF(data, limits: limits)
            } catch .malformed where TIFFDirectory.isCut(in: data) {
                throw .truncated(.tiff)
            }
        }
    }

    /// The first directory of tags (TIFF 6.0, section 2).
    private enum TIFFDirectory {
        /// Whether the file ends before its directory does. False for BigTIFF and for other files.
        static func isCut(in data: Data) -> Bool {
            guard let reader = TIFFReader(data) else { return data.isEmpty }
            guard let start = reader.integer(at: 4, 4), let count = reader.integer(at: start, 2) else { return true }
            return start + 2 + count * 12 > data.count
        }
    }

    /// A TIFF file whose tags have been read. Each decode reads them again.
    private final class OpenedTIFF: OpenedImage {
        let header: ImageHeader
        private let data: Data
        private let limits: DecodingLimits
        private let heldByteCount: Int

        init(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
            self.data = data
            self.limits = limits
            (header, heldByteCount) = try TIFFPage.reading(data, limits) { (page) throws(ImageDecodingError) in
                (try page.imageHeader(limits), page.heldByteCount)
            }
        }

        func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { heldByteCount }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard size == header.storedSize, layout == .rgba8 || layout == header.nativeLayout else {
                throw .unsupported(.tiff, "it can only be decoded in its size, to RGBA or \(header.nativeLayout)")
            }
            try limits.check(.decodedBytes, heldByteCount)
            try TIFFPage.reading(data, limits) { (page) throws(ImageDecodingError) in
                var row = [UInt8](repeating: 0, count: size.width * layout.bytesPerPixel)
                for _ in 0..<size.height {
                    try sink.checkCancellation()
                    try page.readRow(isRGBA: layout == .rgba8, &row)
                    try sink.receive(row.span)
                }
            }
        }
    }

    /// The first page of a file that libtiff reads.
    ///
    /// Safe: the handle and the bytes of the file are valid within `reading`, and don't leave it.
    @safe private final class TIFFPage {
        private let handle: OpaquePointer
        private let header: tiff_header

        /// Calls `body` with the page of a file, and closes it.
        static func reading<Value>(
            _ data: Data, _ limits: DecodingLimits, _ body: (TIFFPage) throws(ImageDecodingError) -> Value
        ) throws(ImageDecodingError) -> Value {
            try unsafe data.span.withUnsafeBufferPointer { (bytes) throws(ImageDecodingError) in
                var handle: OpaquePointer?
                var header = unsafe tiff_header()
                let outcome = unsafe tiff_open(
                    bytes.baseAddress, bytes.count, limits.decodedByteLimit, &handle, &header)
                guard outcome == tiff_ok, let handle = unsafe handle else { throw failure(outcome) }
                return try unsafe body(TIFFPage(handle, header))
            }
        }

        private init(_ handle: OpaquePointer, _ header: tiff_header) {
            unsafe self.handle = handle
            unsafe self.header = header
        }

        deinit { unsafe tiff_close(handle) }

        var heldByteCount: Int { unsafe Int(clamping: header.held_bytes) }

        func imageHeader(_ limits: DecodingLimits) throws(ImageDecodingError) -> ImageHeader {
            let size = unsafe PixelSize(width: Int(header.width), height: Int(header.height))
            try limits.check(size)
            var color = SourceColor.sRGB
            if let profile = unsafe header.profile, unsafe header.profile_length <= limits.metadataByteLimit {
                color = unsafe SourceColor(profile: Data(bytes: profile, count: header.profile_length))
            }
            return unsafe ImageHeader(
                format: .tiff, storedSize: size,
                orientation: ImageOrientation(rawValue: Int(header.orientation)) ?? .up,
                hasAlpha: header.has_alpha != 0, color: color, nativeLayout: PixelLayout(header.layout))
        }

        func readRow(isRGBA: Bool, _ row: inout [UInt8]) throws(ImageDecodingError) {
            let outcome = unsafe tiff_read_row(handle, isRGBA ? 1 : 0, &row)
            if outcome != tiff_ok { throw Self.failure(outcome) }
        }

        private static func failure(_ outcome: tiff_outcome) -> ImageDecodingError {
            switch outcome {
            case tiff_unsupported: .unsupported(.tiff, "libtiff can't convert its samples")
            case tiff_truncated: .truncated(.tiff)
            case tiff_out_of_memory: .malformed(.tiff, "memory is exhausted")
            default: .malformed(.tiff, "libtiff can't read it")
            }
        }
    }

    extension PixelLayout {
        fileprivate init(_ layout: tiff_layout) {
            switch layout {
            case tiff_gray: self = .gray8
            case tiff_gray_alpha: self = .grayAlpha8
            case tiff_cmyk: self = .cmyk8
            default: self = .rgba8
            }
        }
    }
#else
    public import ImageCore

    /// Without the trait, there is only the name, so that the compiler says what is missing.
    @available(
        *, unavailable, message: "enable the trait TIFF of swift-image-loading, and install libtiff-dev (Debian)"
    )
    // It never runs: the compiler refuses each call.
    public func TIFFDecoder() -> any ImageDecoder { fatalError() }
#endif
