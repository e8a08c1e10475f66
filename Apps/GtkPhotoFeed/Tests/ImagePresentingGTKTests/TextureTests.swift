import ImageCore
import XCTest

@testable import ImagePresentingGTK

final class TextureTests: GtkTestCase {
    func testATextureShowsTheBitmapsPixels() throws {
        try onScreen {
            let texture = Texture(bitmap(3, 2, red: 200, green: 100, blue: 50))
            XCTAssertEqual(unsafe gdk_texture_get_width(texture.pointer), 3)
            XCTAssertEqual(unsafe gdk_texture_get_height(texture.pointer), 2)
            XCTAssertEqual(Array(downloaded(texture).prefix(4)), [50, 100, 200, 255])
        }
    }

    func testAlphaIsStraight() throws {
        try onScreen {
            let texture = Texture(bitmap(1, 1, red: 255, alpha: 128))
            // Downloads are premultiplied: red at half opacity is 128.
            XCTAssertEqual(downloaded(texture), [0, 0, 128, 128])
        }
    }

    func testAPackedTextureShowsTheSamePixels() throws {
        try onScreen {
            let pixels: [UInt8] = [
                1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255, 13, 14, 15, 255, 16, 17, 18, 255,
            ]
            let opaque = Bitmap(size: PixelSize(width: 3, height: 2), pixels: pixels, isOpaque: true)
            XCTAssertEqual(downloaded(Texture(PackedPixels().process(opaque))), downloaded(Texture(opaque)))
            let clear = bitmap(1, 1, red: 255, alpha: 128)
            XCTAssertEqual(downloaded(Texture(PackedPixels().process(clear))), [0, 0, 128, 128])
        }
    }

    func testATextureShowsTheColorsOfDisplayP3() throws {
        try onScreen {
            let wide = Bitmap(
                size: PixelSize(width: 2, height: 1), pixels: [200, 100, 50, 255, 20, 200, 90, 128], isOpaque: false,
                colorSpace: .displayP3)
            let (shown, expected) = (downloaded(Texture(wide)), downloaded(Texture(wide.converted(to: .sRGB))))
            XCTAssertTrue(zip(shown, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(shown), \(expected)")
        }
    }

    func testReleasingATextureReleasesTheMemoryOfTheBitmap() throws {
        try onScreen {
            let pool = PixelBufferPool(byteLimit: 1 << 20)
            var texture: Texture? = Texture(pooled(pool))
            XCTAssertEqual(pool.idleByteCount, 0, "the texture holds the only copy")
            XCTAssertNotNil(texture)
            texture = nil
            XCTAssertGreaterThan(pool.idleByteCount, 0, "releasing the texture returns the memory to the pool")
        }
    }

    func testATextureWithoutItsBitmapKeepsThePixels() throws {
        try onScreen {
            let pool = PixelBufferPool(byteLimit: 1 << 20)
            let texture = Texture(pooled(pool))
            // The pool must not return the memory of the texture.
            var taken = pool.takeFilled(byteCount: 160_000)
            for index in taken.indices { taken[index] = 7 }
            XCTAssertEqual(downloaded(texture).first, 255)
        }
    }
}

/// Returns the pixels in GTK's format: premultiplied blue, green, red and alpha.
@MainActor private func downloaded(_ texture: Texture) -> [UInt8] {
    let (width, height) = unsafe (
        Int(gdk_texture_get_width(texture.pointer)), Int(gdk_texture_get_height(texture.pointer))
    )
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    unsafe gdk_texture_download(texture.pointer, &bytes, gsize(width * 4))
    return bytes
}
