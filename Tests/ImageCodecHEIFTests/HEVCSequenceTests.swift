#if HEIF
    import ImageCore
    import Testing

    @testable import ImageCodecHEIF

    @Suite("HEIF: the start of a sequence parameter set")
    struct HEVCSequenceTests {
        /// The fields of a set, in their order (ITU-T H.265, 7.3.2.2).
        private struct Fields {
            var subLayers = 0
            var chroma = 1
            var size = (width: 72, height: 80)
            /// What is left out on each side, in units of chroma samples.
            var window: [Int]?
            var depths = (luma: 8, chroma: 8)
            var hasSeparatePlanes = false

            var bytes: [UInt8] {
                // The header of the unit, the number of its video parameter set, the sublayers and a flag.
                var bits = Array(repeating: 0, count: 16 + 4) + number(subLayers, 3) + [0]
                bits += Array(repeating: 1, count: 96)
                if subLayers > 0 {
                    // The first one has a profile and a level, the others have a level.
                    bits += (0..<subLayers).flatMap { $0 == 0 ? [1, 1] : [0, 1] }
                    bits += Array(repeating: 0, count: 2 * (8 - subLayers))
                    bits += Array(repeating: 1, count: 88 + 8 * subLayers)
                }
                bits +=
                    code(0) + code(chroma) + (chroma == 3 ? [hasSeparatePlanes ? 1 : 0] : []) + code(size.width)
                    + code(size.height)
                bits += window.map { [1] + $0.flatMap(code) } ?? [0]
                bits += code(depths.luma - 8) + code(depths.chroma - 8)
                bits += Array(repeating: 0, count: 8 - bits.count % 8)
                return stride(from: 0, to: bits.count, by: 8).map { start in
                    UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
                }
            }

            private func number(_ value: Int, _ count: Int) -> [Int] {
                (0..<count).reversed().map { value >> $0 & 1 }
            }

            /// Returns an unsigned Exp-Golomb code (9.2).
            private func code(_ value: Int) -> [Int] {
                let length = String(value + 1, radix: 2).count
                return Array(repeating: 0, count: length - 1) + number(value + 1, length)
            }
        }

        private func sequence(_ change: (inout Fields) -> Void) throws(ImageDecodingError) -> HEVCSequence {
            var fields = Fields()
            change(&fields)
            return try HEVCSequence(fields.bytes)
        }

        private func failure(_ change: (inout Fields) -> Void) -> ImageDecodingError? {
            do throws(ImageDecodingError) {
                _ = try sequence(change)
                return nil
            } catch {
                return error
            }
        }

        @Test("up to six sublayers are skipped", arguments: 0...6)
        func subLayers(count: Int) throws {
            let sequence = try sequence { $0.subLayers = count }
            #expect(sequence.size == PixelSize(width: 72, height: 80))
            #expect(sequence.bitDepth == 8)
        }

        @Test("a seventh sublayer is malformed")
        func manySubLayers() {
            #expect(failure { $0.subLayers = 7 } == .malformed(.heic, "a sequence has too many layers"))
        }

        @Test(
            "a window is in units of chroma samples", arguments: [(0, 68, 73), (1, 64, 66), (2, 64, 73), (3, 68, 73)])
        func window(chroma: Int, width: Int, height: Int) throws {
            let sequence = try sequence {
                $0.chroma = chroma
                $0.window = [1, 3, 5, 2]
            }
            #expect(sequence.size == PixelSize(width: width, height: height))
            #expect(sequence.codedSize == PixelSize(width: 72, height: 80))
        }

        @Test(
            "a window leaves out less than 64 columns and rows",
            arguments: [[0, 63, 0, 63], [0, 64, 0, 0], [0, 0, 64, 0]])
        func padding(window: [Int]) {
            let found = failure {
                $0.chroma = 0
                $0.window = window
            }
            #expect(found == (window[1] == 63 ? nil : .malformed(.heic, "a sequence has an invalid size")))
        }

        @Test("luma and chroma have the same depth, up to 12 bits, and gray images have no chroma")
        func depths() throws {
            #expect(try sequence { $0.depths = (12, 12) }.bitDepth == 12)
            for depths in [(13, 13), (8, 10)] {
                let text = "\(depths.0) bits of luma and \(depths.1) bits of chroma"
                #expect(failure { $0.depths = depths } == .unsupported(.heic, text))
            }
            let gray = try sequence {
                $0.chroma = 0
                $0.depths = (8, 10)
            }
            #expect(gray.bitDepth == 8)
        }

        @Test("color planes that are coded as images of their own are unsupported")
        func separatePlanes() {
            let found = failure {
                $0.chroma = 3
                $0.hasSeparatePlanes = true
            }
            #expect(found == .unsupported(.heic, "separately coded color planes"))
        }

        @Test("sides have up to 65,536 pixels")
        func largestSide() throws {
            #expect(try sequence { $0.size.width = 65_536 }.size.width == 65_536)
            #expect(
                failure { $0.size.height = 65_537 } == .malformed(.heic, "a parameter set has a number out of range"))
        }

        @Test("a set that ends before its depths is malformed")
        func short() throws {
            let bytes = Fields().bytes
            for count in 0..<bytes.count - 1 {
                #expect(throws: ImageDecodingError.malformed(.heic, "a parameter set ends too early"), "\(count)") {
                    try HEVCSequence(bytes.prefix(count))
                }
            }
        }

        @Test(
            "the samples of a picture are those of all planes",
            arguments: [64, 96, 128, 192].enumerated().map { ($0, $1) })
        func samples(chroma: Int, count: Int) throws {
            #expect(try sequence { $0.chroma = chroma }.sampleCount(area: 64) == count)
            for (depth, bytes) in [(8, 1), (9, 2), (12, 2)] {
                #expect(try sequence { $0.depths = (depth, depth) }.bytesPerSample == bytes)
            }
        }

        @Test("bytes that prevent start codes are skipped")
        func prevention() throws {
            // The profile of a real set has long runs of zeros: here, those of the first sublayers.
            var bytes = Fields().bytes
            bytes.replaceSubrange(4..<8, with: [0, 0, 3, 0, 0])
            #expect(try HEVCSequence(bytes).size == PixelSize(width: 72, height: 80))
        }
    }
#endif
