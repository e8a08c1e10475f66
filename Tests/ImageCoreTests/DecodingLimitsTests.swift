import ImageCore
import Testing

@Suite("Limits of decoding")
struct DecodingLimitsTests {
    private let limits = DecodingLimits(
        encodedByteLimit: 1, maxPixels: 20, maxSide: 9, maxFrames: 4, metadataByteLimit: 5, decodedByteLimit: 6,
        maxScans: 7)

    @Test("each limit allows its value and refuses a greater one")
    func values() throws {
        for (limit, allowed) in zip(DecodingLimit.allCases, [1, 20, 9, 4, 5, 6, 7]) {
            try limits.check(limit, allowed)
            #expect(throws: ImageDecodingError.limitExceeded(limit, value: allowed + 1, allowed: allowed)) {
                try limits.check(limit, allowed + 1)
            }
        }
        #expect(DecodingLimits.default.metadataByteLimit == 4 << 20 && DecodingLimits.default.maxScans == 100)
    }

    @Test("an image is refused for either side or for its area")
    func size() throws {
        try limits.check(PixelSize(width: 9, height: 2))
        for (width, height, limit) in [(10, 1, DecodingLimit.side), (1, 10, .side), (7, 3, .pixels)] {
            let (value, allowed) = limit == .side ? (10, 9) : (21, 20)
            #expect(throws: ImageDecodingError.limitExceeded(limit, value: value, allowed: allowed)) {
                try limits.check(PixelSize(width: width, height: height))
            }
        }
    }
}
