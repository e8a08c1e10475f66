import HTTPTypes
import Testing

@testable import ImageTransporting

@Suite("Content codings of a head (RFC 9110, 8.4)")
struct ContentCodingsTests {
    @Test(
        "known codings are decoded in any case, empty members and identity are ignored, and others are unknown",
        arguments: [
            ([], [], false), ([""], [], false), (["identity"], [], false), ([", ,\t,"], [], false),
            (["IDENTITY, identity"], [], false), (["gzip"], ["gzip"], false), (["GZip"], ["gzip"], false),
            (["gzip, "], ["gzip"], false), ([",gzip"], ["gzip"], false), (["x-gzip"], ["x-gzip"], false),
            (["deflate"], ["deflate"], false), (["identity, gzip"], ["gzip"], false),
            (["deflate, gzip"], ["deflate", "gzip"], false), (["deflate", "gzip"], ["deflate", "gzip"], false),
            (["gzip", ""], ["gzip"], false), (["UTF-8"], [], true), (["utf8"], [], true), (["none"], [], true),
            (["binary"], [], true), (["aws-chunked"], [], true), (["image/png"], [], true), (["br"], [], true),
            (["zstd"], [], true), (["8bit"], [], true), (["base64"], [], true), (["null"], [], true),
            (["\"gzip\""], [], true), (["gzip;q=1.0"], [], true), (["7bit, identity"], [], true),
            (["gzip, aws-chunked"], ["gzip"], true), (["aws-chunked", "gzip"], ["gzip"], true),
        ] as [([String], [String], Bool)])
    func parsing(_ lines: [String], _ decodable: [String], _ hasUnknown: Bool) {
        var fields = HTTPFields()
        fields[values: .contentEncoding] = lines
        let codings = ContentCodings(fields)
        #expect(codings.decodable == decodable)
        #expect(codings.hasUnknown == hasUnknown)
        #expect(codings.isEmpty == (decodable.isEmpty && !hasUnknown))
    }
}
