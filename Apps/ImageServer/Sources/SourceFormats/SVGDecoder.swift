#if SVG
    import Foundation
    public import ImageCore

    /// Draws SVG files at any size, with librsvg in a process of its own: `image-server-svg`, beside this program.
    ///
    /// librsvg can't be interrupted, and ends its process if it fails. The process is ended when drawing is cancelled.
    /// It has limits for memory and time, and loads no other files: only `data:` URLs are followed.
    public struct SVGDecoder: ImageDecoder {
        private let size: PixelSize?
        private let program: String

        /// Creates a decoder.
        ///
        /// - Parameters:
        ///   - size: The size of images; nil for their own, which is reduced to the limits.
        ///   - program: The path of the program that draws.
        public init(size: PixelSize? = nil, program: String = ChildProcess.sibling("image-server-svg")) {
            self.size = size
            self.program = program
        }

        public var format: ImageFormat { .svg }

        /// Returns whether the data can start an XML document whose root element is `svg`. `open` looks further.
        public func recognizes(_ prefix: Data) -> Bool {
            switch SVGRoot.search(prefix) {
            case .found: true
            case .incomplete: prefix.contains(UInt8(ascii: "<"))
            case .other: false
            }
        }

        /// Reads the root element. Throws `.unknownFormat` if it is another one, or comes too late.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard case .found(let root) = SVGRoot.search(data) else { throw .unknownFormat }
            return OpenedSVG(data, size: size ?? root.size(within: limits), program: program)
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
        private let program: String

        init(_ data: Data, size: PixelSize, program: String) {
            header = ImageHeader(format: .svg, storedSize: size, hasAlpha: true)
            self.data = data
            self.program = program
        }

        /// Returns the target: an SVG file can be drawn at any size.
        func decodableSize(covering target: PixelSize) -> PixelSize { target }

        /// Returns the target, because drawing has all details at any size.
        func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize { target }

        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { size.area * 4 }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard layout == .rgba8 else { throw .unsupported(.svg, "it can only be drawn as RGBA") }
            let pixels = try draw(size) { () throws(ImageDecodingError) in try sink.checkCancellation() }
            let bytesPerRow = size.width * 4
            for y in 0..<size.height {
                try sink.receive(pixels.span.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow))
            }
        }

        private func draw(
            _ size: PixelSize, checkpoint: () throws(ImageDecodingError) -> Void
        ) throws(ImageDecodingError) -> [UInt8] {
            let process: ChildProcess
            do {
                process = try ChildProcess(program, "\(size.width)", "\(size.height)")
            } catch {
                throw .unsupported(.svg, "\(error)")
            }
            let pixels = try process.exchange(Array(data), receiving: size.area * 4, checkpoint: checkpoint)
            guard let pixels else { throw .malformed(.svg, "librsvg can't draw it within the limits") }
            return pixels
        }
    }
#endif
