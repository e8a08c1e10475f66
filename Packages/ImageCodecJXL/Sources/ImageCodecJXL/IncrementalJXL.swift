#if JXL
    import CImageCodecJXL
    import ImageCore

    /// A JPEG XL image that is decoded while its bytes arrive. Still images have previews, animations have none.
    ///
    /// libjxl receives the codestream up to fixed checkpoints, so that the previews do not depend on how the bytes were
    /// split. A lossy image without alpha is shown as a whole when its low frequencies are available, and again each time
    /// that a quarter more of it has arrived. Other images are shown by rows of groups. Images of a single group and
    /// composed layers are shown when they are complete.
    final class IncrementalJXL: IncrementalImage {
        private let limits: DecodingLimits
        private var file = Data()
        private var codestream = Data()
        /// The checkpoint up to which the codestream has been read.
        private var position = 0
        private var session: JXLSession?
        private var info: JXLInfo?
        private var frames: JXLFrameList?
        private var canvas: JXLCanvas?
        /// The position of `session` when `canvas` was written.
        private var shownPosition = -1
        private var isDone = false

        private(set) var header: ImageHeader?
        private(set) var extent = PreviewExtent.nothing

        init(limits: DecodingLimits) { self.limits = limits }

        /// Returns the stored size.
        func decodableSize(covering target: PixelSize) -> PixelSize { header?.storedSize ?? target }

        /// Returns the size of the image and the working memory of libjxl in bytes.
        func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int {
            size.byteCount(layout).plus(frames?.workingBytes ?? 0)
        }

        func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError) {
            guard size == header?.storedSize, layout == .rgba8 || layout == header?.nativeLayout else {
                throw .unsupported(.jpegXL, "the image can only be decoded at its stored size")
            }
            if info?.hasAnimation == true || frames?.mustBeDecodedWhole == true { return finish() }
            try limits.check(.decodedBytes, heldByteCount(size: size, layout: layout))
            canvas = JXLCanvas(size: size, layout: layout)
            try decode()
            try advance()
        }

        func append(_ bytes: Data) throws(ImageDecodingError) {
            if isDone || bytes.isEmpty { return }
            file.append(bytes)
            try limits.check(.encodedBytes, file.count)
            try readCodestream()
            try advance()
        }

        func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError) {
            guard let canvas, extent.rows > 0 else { return }
            if let session, shownPosition != session.position {
                guard session.flush() else { throw .malformed(.jpegXL, "libjxl could not show the decoded part") }
                shownPosition = session.position
            }
            try canvas.send(extent.rows, to: sink)
        }

        /// Appends the codestream that has arrived.
        private func readCodestream() throws(ImageDecodingError) {
            guard JXLContainer.hasSignature(file) else { return }
            var known = codestream.count
            for part in try JXLContainer.parts(of: file) {
                codestream.append(part.dropFirst(known))
                known -= min(known, part.count)
            }
        }

        /// Reads the available codestream, checkpoint by checkpoint. After the header it continues only when decoding has
        /// started.
        private func advance() throws(ImageDecodingError) {
            if header == nil { try readHeader() }
            while !isDone, canvas != nil {
                let next = nextCheckpoint
                guard next > position, next <= codestream.count else { return }
                position = next
                try decode()
            }
        }

        /// The next position at which libjxl receives bytes: a quarter more of the frame, and the end of the low frequencies.
        private var nextCheckpoint: Int {
            guard let frame = frames?.first, let sections = frame.sections else { return codestream.count }
            let next = position + max(64, (position - sections.lowerBound) / 4)
            let lowFrequencyEnd = frame.lowFrequencyEnd ?? next
            return min(next, position < lowFrequencyEnd ? lowFrequencyEnd : next, sections.upperBound)
        }

        private var showsDetail: Bool {
            guard let info, let frame = frames?.first else { return false }
            return frame.showsDetail(info)
        }

        /// Reads the headers up to the first displayed frame, as soon as they are available.
        private func readHeader() throws(ImageDecodingError) {
            if info == nil {
                let session = if let session { session } else { try JXLSession() }
                self.session = session
                guard !codestream.isEmpty, let info = try session.readHeader(of: codestream, limits: limits) else {
                    return
                }
                self.info = info
                frames = JXLFrameList(after: session.position, of: info)
            }
            try frames?.read(codestream, limits: limits, stopsAtFirst: true)
            guard let info, let frames, let first = frames.first else { return }
            position = first.sections?.lowerBound ?? position
            header = info.header(durations: frames.durations)
        }

        /// Passes the codestream up to `position` to libjxl.
        private func decode() throws(ImageDecodingError) {
            guard let session, let canvas else { return }
            while true {
                switch session.process(codestream, through: position) {
                case jxl_needs_output: unsafe try session.setOutput(canvas.pixels, layout: canvas.layout)
                case jxl_frame_done:
                    extent = PreviewExtent(passes: extent.passes + 1, rows: canvas.size.height)
                    return finish()
                case jxl_needs_input: return updateExtent()
                case jxl_finished: throw .malformed(.jpegXL, "a frame is missing")
                default: throw .malformed(.jpegXL, "libjxl rejected the data")
                }
            }
        }

        private func updateExtent() {
            guard let frame = frames?.first, !frame.isComposited, let lowFrequencyEnd = frame.lowFrequencyEnd,
                position >= lowFrequencyEnd
            else { return }
            if showsDetail {
                extent = PreviewExtent(passes: extent.passes + 1, rows: frame.size.height)
            } else {
                let rows = frame.completeRows(in: position)
                // The last rows are complete with the frame.
                extent = PreviewExtent(passes: 0, rows: rows == frame.size.height ? extent.rows : rows)
            }
        }

        /// Ends decoding and releases all but the image.
        private func finish() {
            isDone = true
            session = nil
            file = Data()
            codestream = Data()
        }
    }

    /// The memory of an image to which libjxl writes between calls.
    ///
    /// Safe: the memory is valid and initialized from `init` to `deinit`. Only `pixels` gives access to it.
    @safe private final class JXLCanvas {
        let size: PixelSize
        let layout: PixelLayout
        @unsafe let pixels: UnsafeMutableBufferPointer<UInt8>

        init(size: PixelSize, layout: PixelLayout) {
            self.size = size
            self.layout = layout
            unsafe pixels = .allocate(capacity: size.area * layout.bytesPerPixel)
            unsafe pixels.initialize(repeating: 0)
        }

        deinit { unsafe pixels.deallocate() }

        /// Sends the first rows.
        func send(_ rows: Int, to sink: any PixelRowSink) throws(ImageDecodingError) {
            let stride = size.width * layout.bytesPerPixel
            for y in 0..<rows {
                let row = unsafe UnsafeBufferPointer(rebasing: pixels[y * stride..<(y + 1) * stride])
                try sink.receive(unsafe Span(_unsafeElements: row))
            }
        }
    }
#endif
