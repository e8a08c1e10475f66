#if SVG
    import Foundation
    import GeneratedImages
    import ImageCodecSVG
    import ImageContractTesting
    import ImageCore
    import ImageDecoding
    import ImageTesting
    import LeakChecking
    import Testing

    @Suite("SVG: decoding")
    struct SVGDecoderTests {
        private static func svg(_ content: String, _ attributes: String = "width='40' height='20'") -> Data {
            Data(
                """
                <?xml version="1.0"?><!-- a comment -->
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">
                <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \(attributes)>
                \(content)</svg>
                """.utf8)
        }

        private static func draw(_ data: Data, _ size: PixelSize? = nil) throws -> Bitmap {
            try DownsamplingDecoder(decoders: [SVGDecoder(size: size)]).decode(data).bitmap
        }

        private static func size(_ data: Data) throws -> PixelSize {
            try DownsamplingDecoder(decoders: [SVGDecoder()]).header(of: data).size
        }

        @Test("draws shapes with transparency, at the size of the file and at others")
        func drawing() throws {
            let data = Self.svg("<rect width='20' height='20' fill='#f00' fill-opacity='.5'/>")
            let own = try Self.draw(data)
            #expect(own.size == PixelSize(width: 40, height: 20))
            #expect(Array(own.pixels.prefix(4)) == [255, 0, 0, 128])
            #expect(own.pixels[39 * 4 + 3] == 0)
            // The color is divided by alpha, and rounded.
            let gray = try Self.draw(Self.svg("<rect width='20' height='20' fill='#646464' fill-opacity='.5'/>"))
            #expect(Array(gray.pixels.prefix(4)) == [100, 100, 100, 128])
            // An inch has 96 pixels.
            let inch = try Self.draw(Self.svg("<rect width='.25in' height='20'/>"))
            #expect((0..<40).filter { inch.pixels[4 * $0 + 3] > 0 } == Array(0..<24))
            let large = try Self.draw(data, PixelSize(width: 400, height: 200))
            #expect(large.pixels[199 * 4 + 3] == 128)
            #expect(large.pixels[200 * 4 + 3] == 0)
        }

        #if canImport(Glibc)
            @Test("the memory of documents is freed, drawn, refused and damaged")
            func leaks() async {
                await #expect(processExitsWith: .success) {
                    let shape = "<rect width='20' height='20' fill='#f00'/>"
                    try checkForLeaks {
                        for number in 0..<100 {
                            let data = Self.svg(shape)
                            _ = try Self.draw(data)
                            for damaged in [data.dropLast(number + 1), Self.svg(shape + "<g")] {
                                _ = try? Self.draw(damaged)
                            }
                        }
                    }
                }
            }
        #endif

        @Test(
            "the size is that of the root element in pixels",
            arguments: [
                ("width='30mm' height='1in'", 113, 96), ("viewBox='0 0 70 30'", 70, 30), ("", 300, 150),
                ("width='100%' height='100%' viewBox='-1,-1 50,25'", 50, 25),
                ("width='140' viewBox='0 0 70 30'", 140, 60),
                ("height='1e1PX' viewBox='0 0 70 35'", 20, 10), ("width='nan' height='-4'", 300, 150),
                ("viewBox='0 0 -70 30'", 300, 150), ("viewBox='0 0 70 0'", 300, 150),
                ("width = '2Pc' height\n=\n'30PT'", 32, 40), ("width='2em' height='10ex'", 32, 80),
                ("width='2.54cm' height='25.4mm'", 96, 96), ("lang width='8' height='9'", 8, 9),
                ("viewBox='0 0 70'", 300, 150), ("viewBox='0 0 inf 30'", 300, 150),
                ("viewBox='0 0\n70\t30'", 70, 30), ("viewBox='0 0\r70\r\n30'", 70, 30),
            ])
        func sizes(attributes: String, width: Int, height: Int) throws {
            #expect(try Self.size(Self.svg("", attributes)) == PixelSize(width: width, height: height))
        }

        @Test(
            "a size whose unit or ratio overflows is reduced to the limits",
            arguments: ["width='1e308in' height='1'", "viewBox='0 0 1e300 1e-300' height='1'", "height='1.7e308cm'"])
        func overflowingSize(attributes: String) throws {
            let size = try Self.size(Self.svg("", attributes))
            #expect(max(size.width, size.height) <= 65_535 && min(size.width, size.height) >= 1)
        }

        @Test("a huge size is reduced to the limits, because it costs nothing")
        func hugeSize() throws {
            let size = try Self.size(Self.svg("", "viewBox='0 0 1e300 5e299'"))
            #expect(size.width <= 65_535)
            #expect(size.width == 2 * size.height || size.width == 2 * size.height + 1)
        }

        @Test("a size that is asked for is not reduced to the limits, but refused")
        func refusedSize() {
            let decoder = SVGDecoder(size: PixelSize(width: 30, height: 4))
            #expect(throws: ImageDecodingError.limitExceeded(.side, value: 30, allowed: 29)) {
                try decoder.open(Self.svg(""), limits: DecodingLimits(maxSide: 29))
            }
        }

        @Test("a long file is refused, and a drawing is made as small as sides, area and memory allow")
        func limits() throws {
            let data = Self.svg("", "width='400pt' height='300'")
            func size(_ limits: DecodingLimits) throws -> PixelSize {
                try SVGDecoder().open(data, limits: limits).header.size
            }
            #expect(try size(DecodingLimits(encodedByteLimit: data.count)) == PixelSize(width: 533, height: 300))
            #expect(throws: ImageDecodingError.limitExceeded(.encodedBytes, value: data.count, allowed: 9)) {
                try size(DecodingLimits(encodedByteLimit: 9))
            }
            #expect(try size(DecodingLimits(maxSide: 100)).width == 100)
            #expect(try (900...1_000).contains(size(DecodingLimits(maxPixels: 1_000)).area))
            #expect(try (900...1_000).contains(size(DecodingLimits(decodedByteLimit: 8_000)).area))
        }

        @Test("a drawing can be smaller than its size, not larger, and isn't made if nobody needs it")
        func decodableSizes() throws {
            let image = try SVGDecoder().open(Self.svg(""), limits: .default)
            for (target, expected) in [((20, 5), (20, 5)), ((41, 5), (40, 20)), ((20, 21), (40, 20))] {
                let target = PixelSize(width: target.0, height: target.1)
                let size = PixelSize(width: expected.0, height: expected.1)
                #expect(image.decodableSize(covering: target) == size, "\(target)")
            }
            #expect(throws: ImageDecodingError.cancelled) {
                try image.decode(frame: 0, size: image.header.size, layout: .rgba8, into: CancellingSink(atCheck: 1))
            }
        }

        @Test(
            "an XML document with another root element, or HTML, is no SVG",
            arguments: [
                "<html><svg></svg></html>", "<!DOCTYPE html><svg/>", "<!doctype html><svg/>",
                "<?xml version='1.0'?><rss></rss>", "<svgx/>", "text <svg/>", "  ", "<rss", "<svgx",
            ])
        func others(text: String) {
            #expect(throws: ImageDecodingError.unknownFormat) { try Self.size(Data(text.utf8)) }
        }

        @Test(
            "a document that ends before its root element is truncated",
            arguments: [
                "<!-- <svg> -->", "<svg width='1'", "<", "<!DOCTYPE svg [ <!ENTITY a '>'> ", "<?xml version='1.0'",
                "<!-- a", "<s", "<svg", "<a:", "<a:sv", "<svg width=", "<svg width=8 height=9/>",
            ])
        func truncatedRoots(text: String) {
            #expect(SVGDecoder().recognizes(Data(text.utf8)))
            #expect(throws: ImageDecodingError.truncated(.svg)) { try Self.size(Data(text.utf8)) }
        }

        @Test("the root element is in the first 256 KiB")
        func lateRoot() throws {
            func file(_ length: Int) -> Data {
                Data(("<!--" + String(repeating: " ", count: length - 7) + "--><svg width='8' height='9'/>").utf8)
            }
            #expect(try Self.size(file(262_144 - 27)) == PixelSize(width: 8, height: 9))
            let truncated = Result { () throws(ImageDecodingError) in
                _ = try SVGDecoder().open(file(262_144), limits: .default)
            }
            #expect(throws: ImageDecodingError.truncated(.svg)) { try truncated.get() }
        }

        @Test("a target without pixels is drawn with one")
        func emptyTarget() throws {
            let image = try SVGDecoder().open(Self.svg(""), limits: .default)
            let one = PixelSize(width: 1, height: 1)
            #expect(image.decodableSize(covering: PixelSize(width: 0, height: 0)) == one)
            #expect(image.decodableSize(covering: PixelSize(width: 0, height: 0), preference: .speed) == one)
        }

        @Test("a mark of the byte order, UTF-16, a namespace prefix and declarations are understood")
        func prologs() throws {
            let text = """
                <!DOCTYPE s:svg [<!ENTITY a '>'><!-- ]> -->]>
                <s:svg xmlns:s='http://www.w3.org/2000/svg' width='8' height='9'/>
                """
            for data in [
                Data(text.utf8), Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8),
                Data([0xFF, 0xFE]) + text.utf16.reduce(into: Data()) { $0 += [UInt8($1 & 255), UInt8($1 >> 8)] },
                Data([0xFE, 0xFF]) + text.utf16.reduce(into: Data()) { $0 += [UInt8($1 >> 8), UInt8($1 & 255)] },
            ] {
                #expect(try Self.draw(data).size == PixelSize(width: 8, height: 9))
            }
        }

        @Test("there is one frame, which is drawn as RGBA and needs the memory of its pixels")
        func frames() throws {
            let image = try SVGDecoder().open(Self.svg(""), limits: .default)
            let (size, sink) = (image.header.size, CollectingRowSink())
            #expect(image.heldByteCount(frame: 0, size: size, layout: .rgba8) == 40 * 20 * 4)
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
                try image.decode(frame: 1, size: size, layout: .rgba8, into: sink)
            }
            #expect(throws: ImageDecodingError.unsupported(.svg, "it can only be drawn as RGBA")) {
                try image.decode(frame: 0, size: size, layout: .gray8, into: sink)
            }
        }

        @Test(
            "a drawing without the end of its root element is truncated, and another one that can't be drawn malformed")
        func undrawable() throws {
            let whole = Self.svg("<g></g>")
            let empty = Data("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='9'/><".utf8)
            let wide = Data([0xFF, 0xFE]) + Data("<svg width='8'>".utf8.flatMap { [$0, 0] })
            #expect(throws: ImageDecodingError.truncated(.svg)) { try Self.draw(whole.prefix(whole.count - 6)) }
            for data in [Self.svg("</g>"), empty, wide] {
                #expect(throws: ImageDecodingError.malformed(.svg, "librsvg can't draw it")) { try Self.draw(data) }
            }
        }

        @Test("files and servers that a drawing refers to are not read")
        func externalReferences() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "red-\(UUID()).svg")
            try Self.svg("<rect id='red' width='99' height='99' fill='red'/>").write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let url = file.absoluteString
            for content in [
                "<image xlink:href='\(url)' width='40' height='20'/>", "<use xlink:href='\(url)#red'/>",
                "<use href='\(url)#red'/>", "<image href='\(file.path())' width='40' height='20'/>",
                "<style>@import url('\(url)');</style>",
                "<rect width='40' height='20' fill='url(\(url)#red)'/>",
                "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(url)'/>",
                "<image href='http://127.0.0.1:9/a.png' width='40' height='20'/>",
            ] {
                let pixels = try Self.draw(Self.svg(content)).pixels
                #expect(pixels.allSatisfy { $0 == 0 }, "\(content)")
            }
        }

        @Test("an external entity has no text")
        func externalEntity() throws {
            let text = """
                <!DOCTYPE svg [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
                <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text y="15">&secret;</text></svg>
                """
            let pixels = (try? Self.draw(Data(text.utf8)))?.pixels ?? []
            #expect(pixels.allSatisfy { $0 == 0 })
        }

        @Test("data URLs are drawn")
        func dataURLs() throws {
            let inner = Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>".utf8)
            let content =
                "<image href='data:image/svg+xml;base64,\(inner.base64EncodedString())' width='9' height='9'/>"
            #expect(try Self.draw(Self.svg(content)).pixels[3] == 255)
        }

        /// Each layer uses the one below ten times.
        private static func nested(_ layers: Int) -> Data {
            let groups = (1...layers).map { layer in
                "<g id='l\(layer)'>" + String(repeating: "<use xlink:href='#l\(layer - 1)'/>", count: 10) + "</g>"
            }
            return svg(
                "<defs><rect id='l0' width='1' height='1'/>\(groups.joined())</defs><use xlink:href='#l\(layers)'/>")
        }

        @Test("bombs are refused or drawn within the limits of librsvg", .timeLimit(.minutes(1)))
        func bombs() throws {
            let entities = (1...9).map { level in
                "<!ENTITY a\(level) '\(String(repeating: "&a\(level - 1);", count: 10))'>"
            }
            let laughs = """
                <!DOCTYPE svg [<!ENTITY a0 'ha'>\(entities.joined())]>
                <svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>&a9;</text></svg>
                """
            for data in [
                Self.nested(8), Data(laughs.utf8), Self.svg(String(repeating: "<g>", count: 100_000)),
                Self.svg("<g id='a'><use href='#a'/></g>"),
            ] {
                let bitmap = try? Self.draw(data)
                #expect(bitmap?.pixels.allSatisfy { $0 == 0 } != false)
            }
        }

        @Test("a damaged file is a typed error or an image")
        func damage() throws {
            let data = Self.svg("<g transform='rotate(9)'><path d='M0 0L9 9z' style='fill:#123'/></g>")
            var random = SeededRandom(seed: 3)
            for _ in 0..<40 {
                var damaged = data
                damaged[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
                try HostileInputCheck(SVGDecoder()).checkBriefly(damaged)
            }
        }
    }
#endif
