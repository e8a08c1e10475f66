#if JXL
    import CTestJXL
    public import Foundation
    public import ImageCore

    /// Writes JPEG XL files in codings that `JXLEncoder` doesn't offer, and files with other containers.
    public struct TestJXL: Sendable {
        public var size: PixelSize
        /// 1 to 4: gray, gray and alpha, RGB, RGB and alpha.
        public var channels = 3
        /// 8 to 16.
        public var bits = 8
        /// Whether the file is lossless, or else lossy with Butteraugli distance 1.
        public var isLossless = true
        /// Whether a lossy file is modular.
        public var isModular = false
        /// 0 to 3: the number of steps in resolution. From 2 on, low frequencies are frames of their own.
        public var progression = 0
        public var storesCenterFirst = false
        public var resampling = 0
        public var usesPatches: Bool?
        public var effort = 3
        public var orientation = ImageOrientation.up
        /// The type of another channel, as in JxlExtraChannelType.
        public var extraChannel: Int?
        /// As in JxlColorEncoding.
        public var primaries = 0
        public var transfer = 0
        public var gamma = 0.0
        public var profile: Data?
        /// The ticks per second of an animation, as a fraction.
        public var ticks: Ticks?
        public var loops = 0

        public struct Ticks: Sendable {
            public var numerator: Int
            public var denominator: Int

            public init(_ numerator: Int, _ denominator: Int) {
                (self.numerator, self.denominator) = (numerator, denominator)
            }
        }

        /// A frame or layer.
        public struct Frame: Sendable {
            /// The samples in native byte order.
            public var samples: [UInt8]
            public var duration: Int
            /// The position and size on the canvas. Nil for the whole canvas.
            public var area: Area?
            /// As in JxlBlendMode.
            public var blendMode: Int
            public var savedSlot: Int
            public var name = ""

            public init(
                _ samples: [UInt8], duration: Int = 0, area: Area? = nil, blendMode: Int = 0, savedSlot: Int = 0
            ) {
                self.samples = samples
                self.duration = duration
                self.area = area
                self.blendMode = blendMode
                self.savedSlot = savedSlot
            }
        }

        public struct Area: Sendable {
            public var left, top, width, height: Int

            public init(left: Int, top: Int, width: Int, height: Int) {
                (self.left, self.top, self.width, self.height) = (left, top, width, height)
            }
        }

        public struct Failure: Error {}

        public init(_ size: PixelSize, channels: Int = 3) {
            self.size = size
            self.channels = channels
        }

        /// Returns a still image of these samples.
        public func file(_ samples: [UInt8]) throws -> Data { try file([Frame(samples)]) }

        /// Returns a still image of 16-bit samples.
        public func file(_ samples: [UInt16]) throws -> Data { try file(unsafe samples.withUnsafeBytes(Array.init)) }

        /// Returns a file with several frames or layers.
        public func file(_ frames: [Frame]) throws -> Data {
            try unsafe Self.write(options, profile: profile) { writer in
                for frame in frames {
                    var header = frame.header
                    let isAdded = unsafe frame.samples.withUnsafeBytes { bytes in
                        unsafe test_jxl_add(writer, bytes.baseAddress, bytes.count, &header, frame.name)
                    }
                    if isAdded == 0 { return false }
                }
                return true
            }
        }

        /// Returns a lossless image of these RGBA samples, whose colors are premultiplied. libjxl 0.7 can't write such files.
        ///
        /// The sides are at most 512 and not in a ratio for which the format has a code, such as 4:3.
        public func premultipliedFile(_ samples: [UInt8]) throws -> Data {
            let fields = [
                (3, 0), (9, size.height - 1), (5, 0), (9, size.width - 1),  // sizes of 9 bits, no ratio
                // Not the default metadata, 8 bits, 16 bits suffice to decode, one more channel.
                (5, 0), (1, 1), (2, 1),
                (10, 0), (1, 1),  // alpha of 8 bits without a name, premultiplied
                (1, 0), (1, 1), (2, 0), (1, 1),  // not XYB, sRGB, no extensions, default transforms
            ]
            let header = fields.reversed().reduce(0) { $0 << $1.0 | $1.1 }
            let bytes = (0..<7).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) }
            // The header of a lossless file has 40 bits after the signature.
            return Data([0xFF, 0x0A] + bytes) + (try file(samples)).dropFirst(7)
        }

        /// Returns a file from which a JPEG file can be restored.
        public static func file(jpeg: Data) throws -> Data {
            var options = unsafe test_jxl_defaults(0, 0, 3)
            unsafe options.uses_container = 1
            return try unsafe write(options, profile: nil) { writer in
                unsafe jpeg.withUnsafeBytes { bytes in
                    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    return unsafe test_jxl_add_jpeg(writer, start, bytes.count) != 0
                }
            }
        }

        private var options: test_jxl_options {
            var options = unsafe test_jxl_defaults(UInt32(size.width), UInt32(size.height), CInt(channels))
            unsafe options.bits = CInt(bits)
            unsafe options.is_lossless = isLossless ? 1 : 0
            unsafe options.is_modular = isModular ? 1 : 0
            unsafe options.is_progressive = CInt(progression)
            unsafe options.keeps_order = storesCenterFirst ? 0 : 1
            unsafe options.resampling = CInt(resampling)
            unsafe options.patches = usesPatches.map { $0 ? 1 : 0 } ?? -1
            unsafe options.effort = CInt(effort)
            unsafe options.orientation = CInt(orientation.rawValue)
            unsafe options.extra_channel = CInt(extraChannel ?? -1)
            unsafe options.primaries = CInt(primaries)
            unsafe options.transfer = CInt(transfer)
            unsafe options.gamma = gamma
            unsafe options.ticks_numerator = UInt32(ticks?.numerator ?? 0)
            unsafe options.ticks_denominator = UInt32(ticks?.denominator ?? 0)
            unsafe options.loops = UInt32(loops)
            return unsafe options
        }

        private static func write(
            _ options: test_jxl_options, profile: Data?, frames: (OpaquePointer) throws -> Bool
        ) throws -> Data {
            try unsafe (profile ?? Data()).withUnsafeBytes { bytes in
                var options = unsafe options
                if profile != nil {
                    unsafe options.profile = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe options.profile_length = bytes.count
                }
                guard let writer = unsafe test_jxl_open(&options) else { throw Failure() }
                defer { unsafe test_jxl_close(writer) }
                guard try unsafe frames(writer) else { throw Failure() }
                var length = 0
                guard let file = unsafe test_jxl_finish(writer, &length) else { throw Failure() }
                defer { unsafe free(file) }
                return unsafe Data(bytes: file, count: length)
            }
        }
    }

    extension TestJXL.Frame {
        fileprivate var header: test_jxl_frame {
            test_jxl_frame(
                duration: UInt32(duration), x: CInt(area?.left ?? 0), y: CInt(area?.top ?? 0),
                width: UInt32(area?.width ?? 0), height: UInt32(area?.height ?? 0), blend_mode: CInt(blendMode),
                source: 0,
                saved_slot: CInt(savedSlot))
        }
    }

    extension TestJXL {
        /// Returns a container (ISO/IEC 18181-2) with these boxes after the signature.
        public static func container(_ boxes: [(name: String, payload: Data)]) -> Data {
            var file = Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10])
            for box in [("ftyp", Data("jxl \0\0\0\0jxl ".utf8))] + boxes { file += Self.box(box.0, box.1) }
            return file
        }

        public static func box(_ name: String, _ payload: Data) -> Data {
            Data(bigEndian(8 + payload.count)) + Data(name.utf8) + payload
        }

        /// Returns the boxes of a codestream that is divided into parts of `length` bytes.
        public static func parts(of codestream: Data, length: Int) -> [(name: String, payload: Data)] {
            let starts = Array(stride(from: 0, to: codestream.count, by: length))
            return starts.enumerated().map { index, start in
                let number = index == starts.count - 1 ? index | 1 << 31 : index
                return ("jxlp", Data(bigEndian(number)) + codestream.dropFirst(start).prefix(length))
            }
        }

        private static func bigEndian(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
    }
#endif
