#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import ImageTesting
    import TestJXL
    import Testing

    @Suite("Arriving frames of JPEG XL")
    struct JXLFrameTests {
        @Test("a frame in several boxes is decoded if they arrive in pieces or several at once", arguments: [1, 300])
        func boxes(length: Int) throws {
            let codestream = try TestJXL(JXLSamples.size).file(JXLSamples.bytes(channels: 3))
            let file = TestJXL.container(TestJXL.parts(of: codestream, length: 100))
            let image = JXLDecoder().makeIncrementalImage(limits: .default)
            for start in stride(from: 0, to: file.count, by: length) {
                try image.append(file.dropFirst(start).prefix(length))
            }
            try image.start(size: JXLSamples.size, layout: .rgba8)
            let sink = CollectingRowSink()
            try image.decodePreview(into: sink)
            #expect(try sink.pixels.largestDifference(to: jxl.pixels(codestream)) == 0)
        }
    }
#endif
