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

        /// Returns the next word, or 0 after the end.
        mutating func next() -> Int {
            var word: UInt64 = 0
            for offset in 0..<8 where position + offset < bytes.count {
                word |= UInt64(bytes[position + offset]) << (8 * UInt64(offset))
            }
            position += 8
            return Int(truncatingIfNeeded: Int64(bitPattern: word))
        }

        mutating func nextDouble() -> Double { Double(bitPattern: UInt64(truncatingIfNeeded: next())) }

        /// Returns the value with the next word as its index, or nil.
        mutating func next<Value>(of values: [Value]) -> Value? {
            let index = next()
            return values.indices.contains(index) ? values[index] : nil
        }
    }

    /// What a worker is started for.
    public struct WorkerSetup: Sendable {
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

    /// What a worker does next.
    struct WorkerRequest {
        enum Kind: Int, CaseIterable {
            /// Reads the header of a file, which comes with the request.
            case open
            /// Makes a preview of the start of a file, which comes with the request. The answer has its header.
            case preview
            /// Writes the pixels of the preview, of the image, or of a frame into memory that comes with the request.
            case previewPixels, image, frame
        }

        static let byteCount = 96

        var kind: Kind
        /// The number of the request. The answer repeats it.
        var number: Int
        /// The size of the memory that comes with the request.
        var byteCount: Int
        var decoding = DecodingRequest()

        var bytes: [UInt8] {
            var words = Words()
            let target = decoding.target
            for value in [
                kind.rawValue, number, byteCount, decoding.frame, decoding.acceptsTruncated ? 1 : 0,
                OutputColor.allCases.firstIndex(of: decoding.color) ?? 0, target == nil ? 0 : 1,
                target?.size.width ?? 0,
                target?.size.height ?? 0, target.flatMap { ImageTarget.Mode.allCases.firstIndex(of: $0.mode) } ?? 0,
                target?.upscales == true ? 1 : 0, target?.preference == .speed ? 1 : 0,
            ] { words.append(value) }
            return words.bytes
        }

        init(_ kind: Kind, number: Int, byteCount: Int, decoding: DecodingRequest = DecodingRequest()) {
            self.kind = kind
            self.number = number
            self.byteCount = byteCount
            self.decoding = decoding
        }

        /// Reads a request. Returns nil if it is none.
        init?(_ bytes: [UInt8]) {
            var words = Words(bytes)
            guard bytes.count == Self.byteCount, let kind = words.next(of: Kind.allCases) else { return nil }
            self.kind = kind
            number = words.next()
            byteCount = words.next()
            decoding.frame = words.next()
            decoding.acceptsTruncated = words.next() == 1
            guard let color = words.next(of: OutputColor.allCases) else { return nil }
            decoding.color = color
            guard words.next() == 1 else { return }
            let size = PixelSize(width: words.next(), height: words.next())
            guard size.width > 0, size.height > 0, let mode = words.next(of: ImageTarget.Mode.allCases) else {
                return nil
            }
            decoding.target = ImageTarget(
                size, mode: mode, upscales: words.next() == 1, preference: words.next() == 1 ? .speed : .quality)
        }
    }
#endif
