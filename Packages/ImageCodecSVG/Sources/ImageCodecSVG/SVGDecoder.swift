#if SVG
    import CImageCodecSVG
    public import ImageCore

    /// Draws SVG files (W3C SVG 1.1 and parts of SVG 2) at any size, with librsvg.
    ///
    /// No other files are loaded: only `data:` URLs are followed. Scripts and animations don't run. The number of elements
    /// and their nesting are limited by librsvg. Its work can't be interrupted, and isn't limited in time: draw files of
    /// strangers in a process of its own.
    public struct SVGDecoder: ImageDecoder {
        private let size: PixelSize?

        /// Creates a decoder.
        ///
        /// - Parameter size: The size of images in pixels, for example larger than their own; nil for their own, which is
        ///   reduced to the limits.
        public init(size: PixelSize? = nil) { self.size = size }

        public var format: ImageFormat { .svg }

        /// Returns whether the data can start an XML document whose root element is `svg`. `open` looks further.
        public func recognizes(_ prefix: Data) -> Bool {
            switch SVGRoot.search(prefix) {
            case .found: true
            case .incomplete: prefix.contains(UInt8(ascii: "<"))
            case .other: false
            }
        }

        /// Reads the root element. Draws nothing.
        ///
        /// - Throws: `.malformed` if it is another one, `.truncated` if it is not in the first 256 KiB, or
        ///   `.limitExceeded`.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            switch SVGRoot.search(data) {
            case .found(let root):
                if let size { try limits.check(size) }
                return OpenedSVG(data, root, size: size ?? root.size(within: limits))
            case .incomplete: throw .truncated(.svg)
            case .other: throw .malformed(.svg, "the root element is another one")
            }
        }
    }

    extension SVGRoot {
        /// Returns the size in whole pixels, reduced to limits: it costs nothing before an image is drawn.
        fileprivate func size(within limits: DecodingLimits) -> PixelSize {
            // Products and ratios of large numbers can be infinite.
            let factor = max(1, min(max(size.width, size.height), .greatestFiniteMagnitude) / 1e9)
            let width = min(size.width / factor, 1e9)
            let height = min(size.height / factor, 1e9)
            let area = Double(min(limits.maxPixels, limits.decodedByteLimit / 8))
            let sides = (width / area.squareRoot()).squareRoot() * (height / area.squareRoot()).squareRoot()
            let excess = max(1, max(width, height) / Double(limits.maxSide), sides)
            func side(_ length: Double) -> Int {
                max(1, Int((length / excess).rounded(excess > 1 ? .down : .toNearestOrAwayFromZero)))
            }
            return PixelSize(width: side(width), height: side(height))
        }
    }

    /// An SVG file whose root element has been read.
    private final class OpenedSVG: OpenedImage {
        let header: ImageHeader
        private let data: Data
        private let root: SVGRoot

        init(_ data: Data, _ root: SVGRoot, size: PixelSize) {
            header = ImageHeader(format: .svg, storedSize: size, hasAlpha: true)
            self.data = data
            self.root = root
        }

        /// Returns the target if it is smaller than the drawing: it is drawn at any size.
        func decodableSize(covering target: PixelSize) -> PixelSize {
            let stored = header.storedSize
            guard target.width <= stored.width, target.height <= stored.height else { return stored }
            return PixelSize(width: max(1, target.width), height: max(1, target.height))
        }

        /// Returns the same size, because drawing has all details at any size.
        func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
            decodableSize(covering: target)
        }

        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { size.area * 4 }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard layout == .rgba8 else { throw .unsupported(.svg, "it can only be drawn as RGBA") }
            try sink.checkCancellation()
            guard let drawing = SVGDrawing(data, size) else {
                throw root.isClosed(in: data) ? .malformed(.svg, "librsvg can't draw it") : .truncated(.svg)
            }
            var row = [UInt8](repeating: 0, count: size.width * 4)
            for y in 0..<size.height {
                drawing.read(row: y, &row)
                try sink.receive(row.span)
            }
        }
    }

    /// Pixels of librsvg.
    ///
    /// Safe: the handle is closed with this object, and rows have the size of the drawing.
    @safe private final class SVGDrawing {
        private let handle: OpaquePointer

        init?(_ data: Data, _ size: PixelSize) {
            let handle = unsafe data.span.withUnsafeBufferPointer { bytes in
                unsafe svg_draw(
                    bytes.baseAddress, bytes.count, Int32(clamping: size.width), Int32(clamping: size.height))
            }
            guard let handle = unsafe handle else { return nil }
            unsafe self.handle = handle
        }

        deinit { unsafe svg_close(handle) }

        func read(row y: Int, _ row: inout [UInt8]) { unsafe svg_read_row(handle, Int32(clamping: y), &row) }
    }
#else
    public import ImageCore

    /// Without the trait, there is only the name, so that the compiler says what is missing.
    @available(
        *, unavailable, message: "enable the trait SVG of swift-image-loading, and install librsvg2-dev (Debian)"
    )
    // It never runs: the compiler refuses each call.
    public func SVGDecoder() -> any ImageDecoder { fatalError() }
#endif
