import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("AdaptiveEncoderChoice")
struct AdaptiveEncoderChoiceTests {
    private static let choice = AdaptiveEncoderChoice(
        transparent: FakeEncoder(format: .webp), photograph: FakeEncoder(format: .jpeg),
        drawing: FakeEncoder(format: .png))
    private static let size = PixelSize(width: 32, height: 8)

    @Test("selects the encoder for transparency if a pixel is transparent")
    func transparent() {
        let bitmap = Bitmap(size: Self.size, pixels: [UInt8](repeating: 9, count: 1024), isOpaque: false)
        #expect(Self.choice.encoder(for: bitmap).format == .webp)
    }

    @Test("treats an image as a drawing if most neighbors are equal", arguments: [1, 2, 3, 8])
    func content(_ run: Int) {
        let pixels = (0..<Self.size.area).flatMap { index -> [UInt8] in
            [UInt8(truncatingIfNeeded: index % 32 / run * 37), 7, 9, 255]
        }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        // With runs of 2, 16 of 31 neighbors are equal.
        #expect(Self.choice.encoder(for: bitmap).format == (run == 1 ? .jpeg : .png))
    }

    @Test("compares each color channel", arguments: 0..<3)
    func channels(_ channel: Int) {
        var pixels = [UInt8](repeating: 255, count: 1024)
        for index in 0..<256 { pixels[index * 4 + channel] = UInt8(truncatingIfNeeded: index * 37) }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        #expect(Self.choice.encoder(for: bitmap).format == .jpeg)
    }

    @Test("uses the encoder for transparency if there is none for drawings")
    func withoutDrawing() {
        let choice = AdaptiveEncoderChoice(
            transparent: FakeEncoder(format: .png), photograph: FakeEncoder(format: .jpeg))
        let plain = Bitmap(size: Self.size, pixels: [UInt8](repeating: 255, count: 1024), isOpaque: true)
        #expect(choice.encoder(for: plain).format == .png)
        let single = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true)
        #expect(choice.encoder(for: single).format == .png)
    }
}
