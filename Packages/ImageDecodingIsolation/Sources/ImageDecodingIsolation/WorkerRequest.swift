#if os(Linux)
    public import ImageCore

    /// The words of a message: integers of eight bytes, least significant first.
    struct Words {
        private(set) var bytes: [UInt8]
        private var position = 0

        /// Starts an empty message.
        init() { bytes = [] }

        /// Reads a message.
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func append(_ value: Int) {
            let word = UInt64(bitPattern: Int64(value))
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }

        mutating func append(_ value: Double) { append(Int(truncatingIfNeeded: value.bitPattern)) }

        mutating func append(_ value: Duration) {
            append(Int(value.components.seconds))
            append(Int(value.components.attoseconds))
        }

        /// Returns the next word, or 0 after the end.
        mutating func next() -> Int {
            var word: UInt64 = 0
            for offset in 0..<8 where position + offset < bytes.count {
                word |= UInt64(bytes[position + offset]) << (8 * UInt64(offset))
            }
            position += 8
            return Int(truncatingIfNeeded: Int64(bitPattern: word))
        }

        mutating func nextDuration() -> Duration {
            Duration(secondsComponent: Int64(next()), attosecondsComponent: Int64(next()))
        }

        mutating func nextDouble() -> Double { Double(bitPattern: UInt64(truncatingIfNeeded: next())) }

        /// Returns the value with the next word as its index, or nil.
        mutating func next<Value>(of values: [Value]) -> Value? {
            let index = next()
            return values.indices.contains(index) ? values[index] : nil
        }
    }

    /// What a worker is started for.
    public struct WorkerSetup: Hashable, Sendable {
        /// The formats that it decodes.
        public let formats: [ImageFormat]
        /// The limits of each image.
        public let limits: DecodingLimits
        let memoryByteLimit: Int

        static let byteCount = 4_096
        /// The longest metadata that are passed on: a profile, and the delays of frames.
        private static let longestMetadata = (bytes: 64 << 20, frames: 1 << 20)
        /// A word by which the parent cancels a request comes before the metadata.
        static let metadataOffset = 8
        static let bytesPerDelay = 16

        init(formats: [ImageFormat], limits: DecodingLimits, memoryByteLimit: Int) {
            self.formats = formats
            self.memoryByteLimit = memoryByteLimit
            var limits = limits
            limits.metadataByteLimit = min(limits.metadataByteLimit, Self.longestMetadata.bytes)
            limits.maxFrames = min(limits.maxFrames, Self.longestMetadata.frames)
            self.limits = limits
        }

        /// The size of the memory by which a worker passes metadata on.
        var metadataCapacity: Int {
            Self.metadataOffset + 1 + limits.metadataByteLimit + limits.maxFrames * Self.bytesPerDelay
        }

        var bytes: [UInt8] {
            var words = Words()
            words.append(memoryByteLimit)
            for limit in Self.paths { words.append(limits[keyPath: limit]) }
            return words.bytes + formats.map(\.rawValue).joined(separator: ",").utf8
        }

        init(_ bytes: [UInt8]) {
            var words = Words(bytes)
            memoryByteLimit = words.next()
            var limits = DecodingLimits()
            for limit in Self.paths { limits[keyPath: limit] = words.next() }
            self.limits = limits
            let names = String(decoding: bytes.dropFirst((Self.paths.count + 1) * 8), as: UTF8.self)
            formats = names.split(separator: ",").map { ImageFormat(rawValue: String($0)) }
        }

        private static var paths: [WritableKeyPath<DecodingLimits, Int>] {
            [
                \.encodedByteLimit, \.maxPixels, \.maxSide, \.maxFrames, \.metadataByteLimit, \.decodedByteLimit,
                \.maxScans,
            ]
        }
    }

    /// Whose images a worker sees, and what it is started for.
    struct WorkerScope: Equatable, Sendable {
        let setup: WorkerSetup
        /// The origin of all of its images.
        var origin: String?
    }

    /// How a worker encodes an image, or a frame of an animation, whose pixels come with the request.
    struct EncodingJob: Equatable {
        /// The name of the encoder, of which 64 bytes are sent.
        var encoder: String
        var size = PixelSize(width: 0, height: 0)
        var colorSpace = ColorSpace.sRGB
        var isOpaque = false
        var options = EncodingOptions()
        /// The time for which a frame is shown.
        var delay = Duration.zero
        /// How often an animation plays, or nil for a still image.
        var loopCount: Int?

        /// Returns the same job for another image.
        func encoding(_ frame: AnimationFrame) -> EncodingJob {
            var job = self
            job.size = frame.bitmap.size
            job.colorSpace = frame.bitmap.colorSpace
            job.isOpaque = frame.bitmap.isOpaque
            job.delay = frame.delay
            return job
        }
    }

    /// What a worker does next.
    struct WorkerRequest {
        enum Kind: Int, CaseIterable {
            /// Reads the header of a file, which comes with the request.
            case open
            /// Makes a preview of the start of a file, which comes with the request. The answer has its header.
            case preview
            /// Writes the pixels of the preview, of the image, or of a frame into memory that comes with the request.
            case previewPixels, image, frame
            /// Keeps a frame of an animation, before the last one.
            case addFrame
            /// Encodes an image, or an animation with its last frame. The answer has the size of the file.
            case encode
            /// Writes that file into memory that comes with the request.
            case encodedFile
        }

        private static let wordCount = 26
        private static let nameCount = 64
        static let byteCount = wordCount * 8 + nameCount

        let kind: Kind
        /// The number of the request. The answer repeats it.
        private(set) var number = 0
        /// The size of the memory that comes with the request.
        let byteCount: Int
        private(set) var decoding: DecodingRequest
        private(set) var encoding: EncodingJob

        init(
            _ kind: Kind, byteCount: Int, decoding: DecodingRequest = DecodingRequest(),
            encoding: EncodingJob = EncodingJob(encoder: "")
        ) {
            self.kind = kind
            self.byteCount = byteCount
            self.decoding = decoding
            self.encoding = encoding
        }

        /// Returns the message.
        func bytes(number: Int) -> [UInt8] {
            var words = Words()
            for value in [kind.rawValue, number, byteCount, encoding.size.width, encoding.size.height] {
                words.append(value)
            }
            words.append(ColorSpace.allCases.firstIndex(of: encoding.colorSpace) ?? 0)
            words.append(encoding.options.quality)
            for flag in [encoding.isOpaque, encoding.options.isLossless, encoding.options.isProgressive] {
                words.append(flag ? 1 : 0)
            }
            words.append(encoding.delay)
            words.append(encoding.loopCount ?? -1)
            decoding.append(to: &words)
            return words.bytes + encoding.encoder.utf8.padded(to: Self.nameCount)
        }

        /// Reads a request. Returns nil if it is none.
        init?(_ bytes: [UInt8]) {
            var words = Words(bytes)
            guard bytes.count == Self.byteCount, let kind = words.next(of: Kind.allCases) else { return nil }
            let (number, byteCount) = (words.next(), words.next())
            var job = EncodingJob(
                encoder: bytes.text(Self.wordCount * 8..<bytes.count),
                size: PixelSize(width: words.next(), height: words.next()))
            guard let space = words.next(of: ColorSpace.allCases) else { return nil }
            job.colorSpace = space
            let quality = words.nextDouble()
            guard (0...1).contains(quality) else { return nil }
            job.isOpaque = words.next() == 1
            job.options = EncodingOptions(
                quality: quality, isLossless: words.next() == 1, isProgressive: words.next() == 1)
            job.delay = words.nextDuration()
            let loopCount = words.next()
            job.loopCount = loopCount < 0 ? nil : loopCount
            guard let decoding = DecodingRequest(&words) else { return nil }
            self.init(kind, byteCount: byteCount, decoding: decoding, encoding: job)
            self.number = number
        }
    }

    extension DecodingRequest {
        fileprivate func append(to words: inout Words) {
            for value in [
                frame, acceptsTruncated ? 1 : 0, OutputColor.allCases.firstIndex(of: color) ?? 0,
                target?.size.width ?? 0, target?.size.height ?? 0,
                target.flatMap { ImageTarget.Mode.allCases.firstIndex(of: $0.mode) } ?? 0,
                target?.upscales == true ? 1 : 0, target?.preference == .speed ? 1 : 0,
                target?.usesLinearLight == true ? 1 : 0, target?.part?.left ?? 0, target?.part?.top ?? 0,
                target?.part.map { max(0, $0.width) } ?? -1, target?.part?.height ?? 0,
            ] { words.append(value) }
        }

        fileprivate init?(_ words: inout Words) {
            let (frame, acceptsTruncated) = (words.next(), words.next() == 1)
            guard let color = words.next(of: OutputColor.allCases) else { return nil }
            self.init(color: color, frame: frame, acceptsTruncated: acceptsTruncated)
            let size = PixelSize(width: words.next(), height: words.next())
            guard size.width > 0, size.height > 0, let mode = words.next(of: ImageTarget.Mode.allCases) else { return }
            target = ImageTarget(
                size, mode: mode, upscales: words.next() == 1, preference: words.next() == 1 ? .speed : .quality,
                usesLinearLight: words.next() == 1)
            let part = PixelArea(left: words.next(), top: words.next(), width: words.next(), height: words.next())
            if part.width >= 0 { target?.part = part }
        }
    }

    extension String.UTF8View {
        /// The first bytes, and zeros up to a number of bytes.
        func padded(to count: Int) -> [UInt8] {
            let bytes = prefix(count)
            return bytes + [UInt8](repeating: 0, count: count - bytes.count)
        }
    }

    extension [UInt8] {
        /// The text in a range, which ends with a zero or the range.
        func text(_ range: Range<Int>) -> String { String(decoding: self[range].prefix { $0 != 0 }, as: UTF8.self) }
    }
#endif
