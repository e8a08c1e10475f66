#if SVG
    import CSVGProcess
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
        public init(size: PixelSize? = nil, program: String = Self.standardProgram) {
            self.size = size
            self.program = program
        }

        /// `image-server-svg` in the folder of this program.
        public static var standardProgram: String {
            let program = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
            let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? program.path()
            return URL(filePath: own).deletingLastPathComponent().appending(path: "image-server-svg")
                .path(percentEncoded: false)
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
        public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
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
            let area = Double(min(limits.pixels, limits.decodedBytes / 8))
            let sides = (width / area.squareRoot()).squareRoot() * (height / area.squareRoot()).squareRoot()
            let excess = max(1, max(width, height) / Double(limits.side), sides)
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

        func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { size.area * 4 }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(DecodingFailure) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard layout == .rgba8 else { throw .unsupported(.svg, "it can only be drawn as RGBA") }
            let pixels = try SVGProcess(program, size).draw(data) { () throws(DecodingFailure) in
                try sink.checkCancellation()
            }
            let bytesPerRow = size.width * 4
            for y in 0..<size.height {
                try sink.receive(pixels.span.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow))
            }
        }
    }

    /// The process of one drawing, which ends with this object.
    private final class SVGProcess {
        /// The time between two checks of cancellation.
        private static let milliseconds: Int32 = 20

        private var process = svg_process()
        private let size: PixelSize

        init(_ program: String, _ size: PixelSize) throws(DecodingFailure) {
            self.size = size
            let error = unsafe svg_start(program, Int32(size.width), Int32(size.height), &process)
            guard error == 0 else {
                throw .unsupported(.svg, "\(program) doesn't start: \(unsafe String(cString: strerror(error)))")
            }
        }

        deinit { unsafe svg_stop(&process) }

        func draw(
            _ data: Data, checkpoint: () throws(DecodingFailure) -> Void
        ) throws(DecodingFailure) -> [UInt8] {
            let input = Array(data)
            var pixels = [UInt8](repeating: 0, count: size.area * 4)
            while true {
                try checkpoint()
                switch unsafe svg_exchange(&process, input, input.count, &pixels, pixels.count, Self.milliseconds) {
                case svg_running: continue
                case svg_ended: return pixels
                default: throw .malformed(.svg, "librsvg can't draw it within the limits")
                }
            }
        }
    }
#endif
