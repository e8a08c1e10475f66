#if HEIF
    import ISOBoxes
    import ImageCore

    /// An image sequence whose boxes have been read.
    final class OpenedHEIFSequence: OpenedImage {
        let header: ImageHeader
        private let tracks: HEIFTracks
        private let limits: DecodingLimits
        private let color: HEIFTrackDecoder
        private let alpha: HEIFTrackDecoder?

        init(_ tracks: HEIFTracks, limits: DecodingLimits) throws(ImageDecodingError) {
            self.tracks = tracks
            self.limits = limits
            color = HEIFTrackDecoder(tracks.color, of: tracks.reader)
            alpha = tracks.alpha.map { HEIFTrackDecoder($0, of: tracks.reader) }
            header = try ImageHeader(of: tracks, limits: limits)
        }

        /// Returns the stored size.
        func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

        /// Returns the size of the pictures that are held between frames, in bytes.
        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            tracks.color.heldByteCount + (tracks.alpha?.heldByteCount ?? 0)
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard (0..<header.frameCount).contains(index) else {
                throw .noSuchFrame(index, frameCount: header.frameCount)
            }
            guard size == header.storedSize, layout == .rgba8 || layout == header.nativeLayout else {
                throw .unsupported(.heic, "the sequence can only be decoded as RGBA at its own size")
            }
            try limits.check(.decodedBytes, heldByteCount(frame: index, size: size, layout: layout))
            let planes = try color.planes(ofFrame: index, for: sink)
            var mask: HEIFPlanes?
            if let alpha { mask = try alpha.planes(ofFrame: index, for: sink) }
            let strips = StripDecoder(
                color: PlaneSource(planes), alpha: mask.map { PlaneSource($0) }, coding: tracks.color.itemColor.coding,
                hasProfile: header.colorProfile != nil, sequence: tracks.color.configuration.sequence,
                isPremultiplied: tracks.color.references.contains("prem"), area: tracks.color.area, layout: layout)
            try strips.decode(into: sink)
        }
    }

    extension ImageHeader {
        fileprivate init(of tracks: HEIFTracks, limits: DecodingLimits) throws(ImageDecodingError) {
            let track = tracks.color
            self.init(
                format: .heic, storedSize: PixelSize(width: track.area.width, height: track.area.height),
                orientation: track.orientation, hasAlpha: tracks.alpha != nil)
            if let source = try track.itemColor.source(of: tracks.reader, limits: limits) { color = source }
            nativeLayout = color.isHDR ? .rgba16 : .rgba8
            guard track.samples.count > 1 else { return }
            frameCount = track.samples.count
            frameDelays = track.timing.delays
            loopCount = track.loopCount
        }
    }

    extension HEIFTrack {
        /// The number of pictures that the decoder may hold: one, or the current one and its references.
        fileprivate var pictureLimit: Int { isStart.allSatisfy(\.self) ? 1 : 1 + HEIFTiming.mostReferences }

        /// The memory in bytes for the pictures in the decoder, with 1.5 bytes per pixel of information about blocks, a copy for sample
        /// adaptive offset, the frame, and the frames that were decoded before it and are shown later.
        fileprivate var heldByteCount: Int {
            let sequence = configuration.sequence
            let pictureBytes = sequence.sampleCount(area: sequence.codedSize.area) * sequence.bytesPerSample
            let blockBytes = sequence.codedSize.area * 3 / 2
            return pictureLimit * (pictureBytes + blockBytes) + (2 + timing.reorderedCount) * pictureBytes
        }
    }

    /// Decodes the frames of a track in any order. Frames in their order cost one picture each.
    private final class HEIFTrackDecoder {
        private let track: HEIFTrack
        private let reader: BoxReader
        /// Decodes `nextSample` next. Nil before the first picture and after a failure.
        private var stream: HEIFStream?
        private var nextSample = 0
        /// The last frame, and the decoded ones that are shown after it.
        private var decoded: [Int: HEIFPlanes] = [:]

        init(_ track: HEIFTrack, of reader: BoxReader) {
            self.track = track
            self.reader = reader
        }

        /// Decodes a frame, and those before it that it needs. Calls `checkCancellation` before each.
        ///
        /// Pictures that start a sequence are decoded by a new stream. Otherwise the frames of a damaged file would depend on those that
        /// were decoded before.
        func planes(ofFrame frame: Int, for sink: any PixelRowSink) throws(ImageDecodingError) -> HEIFPlanes {
            decoded = decoded.filter { $0.key >= frame }
            if let planes = decoded[frame] { return planes }
            let last = track.timing.order[frame]
            let stream = try stream(for: last)
            self.stream = nil
            for sample in nextSample...last {
                try sink.checkCancellation()
                let shown = track.timing.frames[sample]
                let slices = try track.configuration.slices(in: try data(of: sample), isAlone: false)
                if let planes = try stream.decode(slices, isWanted: shown >= frame) { decoded[shown] = planes }
            }
            self.stream = stream
            nextSample = last + 1
            guard let planes = decoded[frame] else { throw .malformed(.heic, "a frame has no picture") }
            return planes
        }

        /// Returns a stream whose next picture is `nextSample`, from which `last` can be decoded.
        private func stream(for last: Int) throws(ImageDecodingError) -> HEIFStream {
            let start = track.start(of: last)
            if let stream, nextSample > start, nextSample <= last { return stream }
            decoded = [:]
            nextSample = start
            return try HEIFStream(track.configuration, pictureLimit: track.pictureLimit)
        }

        /// Returns the data of a sample. Throws `.truncated` if it exceeds the file.
        private func data(of sample: Int) throws(ImageDecodingError) -> Data {
            let range = track.samples[sample]
            guard range.upperBound <= reader.data.count else { throw .truncated(.heic) }
            return reader.bytes(in: range)
        }
    }
#endif
