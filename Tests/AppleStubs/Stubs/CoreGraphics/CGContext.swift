/// Draws images of 8 bits into memory with premultiplied alpha, by the nearest pixel. Ignores quality and blend mode. Instead of
/// converting colors, it inverts those of images in another color space.
public final class CGContext {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    public let width: Int
    public let height: Int
    private let bytesPerSample: Int
    private let space: CGColorSpace

    public var data: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(memory.baseAddress) }
    public let bytesPerRow: Int
    public var interpolationQuality = CGInterpolationQuality.default

    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        guard data == nil, width > 0, height > 0, [8, 16].contains(bitsPerComponent),
            bitmapInfo
                == (bitsPerComponent == 8
                    ? CGImageAlphaInfo.premultipliedLast.rawValue
                    : CGImageAlphaInfo.noneSkipLast.rawValue | CGBitmapInfo.byteOrder16Little.rawValue)
        else { return nil }
        bytesPerSample = bitsPerComponent / 8
        self.width = width
        self.height = height
        self.space = space
        // Apple's context aligns rows, so that code can't rely on their length.
        self.bytesPerRow = max(bytesPerRow, (width * 4 * bytesPerSample + 63) / 64 * 64)
        memory = .allocate(capacity: self.bytesPerRow * height)
        memory.initialize(repeating: 0)
    }

    deinit { memory.deallocate() }

    public func setBlendMode(_ mode: CGBlendMode) {}

    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
        guard let bytes = image.dataProvider?.data else { return }
        let isConverted = image.colorSpace?.name != space.name
        let pixels = isConverted ? bytes.enumerated().map { $0 % 4 == 3 ? $1 : 255 - $1 } : [UInt8](bytes)
        // The origin is at the bottom left.
        let (left, top) = (Int(rect.minX), height - Int(rect.maxY))
        for y in max(0, top)..<min(height, top + Int(rect.height)) {
            for x in max(0, left)..<min(width, left + Int(rect.width)) {
                let column = (x - left) * image.width / Int(rect.width)
                let row = (y - top) * image.height / Int(rect.height)
                let source = row * image.bytesPerRow + column * 4
                set(x, y, Array(pixels[source..<source + 4]), image.bitmapInfo)
            }
        }
    }

    private func set(_ x: Int, _ y: Int, _ pixel: [UInt8], _ info: CGBitmapInfo) {
        let target = y * bytesPerRow + x * 4 * bytesPerSample
        let isStraight = info.rawValue == CGImageAlphaInfo.last.rawValue
        let alpha = info.rawValue == CGImageAlphaInfo.noneSkipLast.rawValue ? 255 : Int(pixel[3])
        func store(_ level: UInt8, _ channel: Int) {
            for byte in 0..<bytesPerSample { memory[target + channel * bytesPerSample + byte] = level }
        }
        for channel in 0..<3 {
            store(isStraight ? UInt8((Int(pixel[channel]) * alpha + 127) / 255) : pixel[channel], channel)
        }
        store(UInt8(alpha), 3)
    }
}
