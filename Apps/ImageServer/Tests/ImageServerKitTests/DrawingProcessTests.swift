#if SVG
    import Foundation
    import ImageCodecSVG
    import ImageCore
    import ImageDecoding
    import Synchronization
    import Testing

    @testable import ImageServerKit

    @Suite("Drawings in a process of their own") struct DrawingProcessTests {
        private static func draw(
            _ content: String, _ side: Int, isCancelled: @Sendable () -> Bool = { false }
        ) throws -> Bitmap {
            let text = """
                <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='40'
                height='40'>\(content)</svg>
                """
            let decoder = ProcessDecoder(base: SVGDecoder(size: PixelSize(width: side, height: side)))
            return try DownsamplingDecoder(decoders: [decoder])
                .decode(Data(text.utf8), request: DecodingRequest(), isCancelled: isCancelled).bitmap
        }

        @Test("a drawing of any size is drawn in a process")
        func drawing() throws {
            let bitmap = try Self.draw("<rect width='20' height='40' fill='#f00' fill-opacity='.5'/>", 4)
            #expect(Array(bitmap.pixels.prefix(4)) == [255, 0, 0, 128] && bitmap.pixels[15] == 0)
        }

        @Test("a drawing that takes minutes ends when it is cancelled", .timeLimit(.minutes(1)))
        func cancellation() throws {
            let noise = String(repeating: "<feTurbulence baseFrequency='.05' numOctaves='9'/>", count: 60)
            let content =
                "<filter id='f' x='0' y='0' width='1' height='1'>\(noise)</filter>"
                + "<rect width='40' height='20' filter='url(#f)'/>"
            let checkCount = Mutex(0)
            #expect(throws: ImageDecodingError.cancelled) {
                try Self.draw(content, 4_000) {
                    checkCount.withLock { count in
                        count += 1
                        return count > 20
                    }
                }
            }
        }

        @Test("a drawing that needs more memory than its process may have fails, and the server goes on")
        func memory() throws {
            // Each group needs the memory of the whole drawing.
            let layers = 70
            let content =
                String(repeating: "<g opacity='.9'>", count: layers)
                + "<rect width='40' height='40'/>" + String(repeating: "</g>", count: layers)
            #expect(throws: ImageDecodingError.self) { try Self.draw(content, 2_000) }
        }

        @Test("the failure names a program that is missing, without its folder")
        func missingProgram() {
            #expect {
                try ChildProcess("/missing/painter", "", "")
            } throws: {
                "\($0)".contains("painter doesn't start") && !"\($0)".contains("/missing")
            }
        }
    }
#endif
