import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("The encoder that suits an image")
struct AdaptiveEncoderChoiceTests {
    private static let choice = AdaptiveEncoderChoice(
        transparent: FakeEncoder(format: .webp), photograph: FakeEncoder(format: .jpeg),
        drawing: FakeEncoder(format: .png))
    private static let size = PixelSize(width: 32, height: 8)

    @Test("transparency decides first")
    func transparent() {
        let bitmap = Bitmap(size: Self.size, pixels: [UInt8](repeating: 9, count: 1024), isOpaque: false)
        #expect(Self.choice.encoder(for: bitmap).format == .webp)
    }

    @Test("where neighbours differ it is a photograph, where most are equal a drawing", arguments: [1, 2, 3, 8])
    func content(_ run: Int) {
        let pixels = (0..<Self.size.area).flatMap { index -> [UInt8] in
            [UInt8(truncatingIfNeeded: index % 32 / run * 37), 7, 9, 255]
        }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        // With runs of 2, 16 of 31 neighbours are equal.
        #expect(Self.choice.encoder(for: bitmap).format == (run == 1 ? .jpeg : .png))
    }

    @Test("each colour counts", arguments: 0..<3)
    func channels(_ channel: Int) {
        var pixels = [UInt8](repeating: 255, count: 1024)
        for index in 0..<256 { pixels[index * 4 + channel] = UInt8(truncatingIfNeeded: index * 37) }
        let bitmap = Bitmap(size: Self.size, pixels: pixels, isOpaque: true)
        #expect(Self.choice.encoder(for: bitmap).format == .jpeg)
    }

    @Test("without an encoder for drawings the one for transparency is taken")
    func withoutDrawing() {
        let choice = AdaptiveEncoderChoice(
            transparent: FakeEncoder(format: .png), photograph: FakeEncoder(format: .jpeg))
        let plain = Bitmap(size: Self.size, pixels: [UInt8](repeating: 255, count: 1024), isOpaque: true)
        #expect(choice.encoder(for: plain).format == .png)
        let single = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true)
        #expect(choice.encoder(for: single).format == .png)
    }
}
