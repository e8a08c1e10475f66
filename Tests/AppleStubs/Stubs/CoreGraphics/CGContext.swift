/// Draws images into memory with premultiplied alpha, by the nearest pixel. Ignores quality and blend mode. Instead of
/// converting colors, it inverts those of images in another color space.
public final class CGContext {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private let width: Int
    private let height: Int
    private let space: CGColorSpace

    public var data: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(memory.baseAddress) }
    public let bytesPerRow: Int
    public var interpolationQuality = CGInterpolationQuality.default

    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        guard data == nil, width > 0, height > 0, bitsPerComponent == 8,
            bitmapInfo == CGImageAlphaInfo.premultipliedLast.rawValue
        else { return nil }
        self.width = width
        self.height = height
        self.space = space
        // Apple's context aligns rows, so that code can't rely on their length.
        self.bytesPerRow = max(bytesPerRow, (width * 4 + 63) / 64 * 64)
        memory = .allocate(capacity: self.bytesPerRow * height)
        memory.initialize(repeating: 0)
    }

    deinit { memory.deallocate() }

    public func setBlendMode(_ mode: CGBlendMode) {}

    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
        guard let bytes = image.dataProvider?.data else { return }
        let isConverted = image.colorSpace?.name != space.name
        let pixels = isConverted ? bytes.enumerated().map { $0 % 4 == 3 ? $1 : 255 - $1 } : [UInt8](bytes)
        for y in 0..<min(height, Int(rect.height)) {
            for x in 0..<min(width, Int(rect.width)) {
                let column = x * image.width / Int(rect.width)
                let row = y * image.height / Int(rect.height)
                let source = row * image.bytesPerRow + column * 4
                set(x, y, Array(pixels[source..<source + 4]), image.bitmapInfo)
            }
        }
    }

    private func set(_ x: Int, _ y: Int, _ pixel: [UInt8], _ info: CGBitmapInfo) {
        let target = y * bytesPerRow + x * 4
        let isStraight = info.rawValue == CGImageAlphaInfo.last.rawValue
        let alpha = info.rawValue == CGImageAlphaInfo.noneSkipLast.rawValue ? 255 : Int(pixel[3])
        for channel in 0..<3 {
            memory[target + channel] = isStraight ? UInt8((Int(pixel[channel]) * alpha + 127) / 255) : pixel[channel]
        }
        memory[target + 3] = UInt8(alpha)
    }
}
