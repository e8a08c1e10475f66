#if SVG
    import Foundation
    import ImageCore
    import ImageProcessing
    import Synchronization
    import Testing

    @testable import ImageServerKit

    @Suite("Drawings in workers") struct DrawingWorkerTests {
        private static func draw(
            _ content: String, _ side: Int, isCancelled: @Sendable () -> Bool = { false }
        ) async throws -> Bitmap {
            let text = """
                <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='40'
                height='40'>\(content)</svg>
                """
            let target = ImageTarget(PixelSize(width: side, height: side), upscales: true)
            return try await SampleWorkers.decoder(["--max-source-pixels", "4000000", "--max-result-pixels", "9"])
                .decode(Data(text.utf8), request: DecodingRequest(target: target), isCancelled: isCancelled).bitmap
        }

        @Test("a drawing is drawn in the size of the request, if it is smaller or larger")
        func drawing() async throws {
            let small = try await Self.draw("<rect width='20' height='40' fill='#f00' fill-opacity='.5'/>", 4)
            #expect(Array(small.pixels.prefix(4)) == [255, 0, 0, 128] && small.pixels[15] == 0)
            let large = try await Self.draw("<rect width='20' height='40'/>", 400)
            #expect((0..<400).allSatisfy { large.pixels[4 * $0 + 3] == ($0 < 200 ? 255 : 0) })
        }

        @Test("a drawing that takes minutes ends when it is cancelled", .timeLimit(.minutes(1)))
        func cancellation() async throws {
            let noise = String(repeating: "<feTurbulence baseFrequency='.05' numOctaves='9'/>", count: 60)
            let content =
                "<filter id='f' x='0' y='0' width='1' height='1'>\(noise)</filter>"
                + "<rect width='40' height='20' filter='url(#f)'/>"
            let checkCount = Mutex(0)
            await #expect(throws: ImageDecodingError.cancelled) {
                try await Self.draw(content, 2_000) {
                    checkCount.withLock { count in
                        count += 1
                        return count > 20
                    }
                }
            }
        }

        @Test("a drawing that needs more memory than a worker may have fails, and the server goes on")
        func memory() async throws {
            // Each group needs the memory of the whole drawing.
            let layers = 70
            let content =
                String(repeating: "<g opacity='.9'>", count: layers)
                + "<rect width='40' height='40'/>" + String(repeating: "</g>", count: layers)
            await #expect(throws: ImageDecodingError.self) { try await Self.draw(content, 2_000) }
        }
    }
#endif
