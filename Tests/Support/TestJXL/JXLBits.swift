#if JXL
    public import Foundation
    public import ImageCore

    /// Writes codestreams bit by bit (ISO/IEC 18181-1, annex B), to make headers that no encoder writes.
    public struct JXLBits {
        public private(set) var data = Data()
        private var bitCount = 0

        public init() {}

        public mutating func bits(_ count: Int, _ value: Int) {
            for index in 0..<count {
                if bitCount % 8 == 0 { data.append(0) }
                if value >> index & 1 == 1 { data[data.count - 1] |= 1 << UInt8(bitCount % 8) }
                bitCount += 1
            }
        }

        public mutating func align() { bitCount = 8 * data.count }

        /// Writes the header of an XYB image of 8 x 8 pixels without other metadata.
        public mutating func smallImage() {
            data = Data([0xFF, 0x0A])
            bitCount = 16
            bits(1, 1)  // small
            bits(5, 0)  // height 8
            bits(3, 1)  // same width
            bits(1, 1)  // default metadata
            bits(1, 1)  // default transforms
            align()
        }

        /// Writes the header of an image that is not stored in XYB, with 8 bits and premultiplied alpha.
        ///
        /// - Parameter size: Up to 512 pixels in each direction.
        public mutating func premultipliedImage(_ size: PixelSize) {
            data = Data([0xFF, 0x0A])
            bitCount = 16
            bits(3, 0)  // not small, 9 bits
            bits(9, size.height - 1)
            bits(5, 0)  // no ratio, 9 bits
            bits(9, size.width - 1)
            bits(5, 0)  // not default, no extra fields, integers, 8 bits
            bits(1, 1)  // 16 bits are enough for decoding
            bits(2, 1)  // one channel
            bits(10, 0)  // alpha, integers, 8 bits, no shift, no name
            bits(1, 1)  // premultiplied
            bits(1, 0)  // not XYB
            bits(1, 1)  // sRGB
            bits(2, 0)  // no extensions
            bits(1, 1)  // default transforms
            align()
        }

        /// Writes a modular frame that is stored for others, with empty sections.
        ///
        /// - Parameters:
        ///   - width: The width, at least 18,688.
        ///   - height: The height, up to 255 or at least 18,688.
        public mutating func referenceFrame(width: Int, height: Int, sections: Int) {
            bits(1, 0)  // not default
            bits(2, 2)  // reference only
            bits(1, 1)  // modular
            bits(2, 0)  // no flags
            bits(2, 0)  // no upsampling
            bits(2, 3)  // groups of 1,024 pixels
            bits(1, 1)  // own size
            length(width)
            length(height)
            bits(2, 1)  // slot 1
            bits(1, 1)  // stored before the color transform
            bits(2, 0)  // no name
            bits(1, 1)  // default filters
            bits(2, 0)  // no extensions
            bits(1, 0)  // sections in order
            align()
            for _ in 0..<sections { bits(12, 0) }
            align()
        }

        private mutating func length(_ value: Int) {
            bits(2, value < 256 ? 0 : 3)
            bits(value < 256 ? 8 : 30, value < 256 ? value : value - 18_688)
        }
    }
#endif
