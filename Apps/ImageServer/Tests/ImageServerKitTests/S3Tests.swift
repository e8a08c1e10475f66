import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageServerKit

@Suite("Sources in buckets") struct S3Tests {
    /// "Example: GET Object" in the documentation of AWS Signature Version 4.
    @Test("signs requests as Amazon documents it")
    func documentation() throws {
        let keys = AmazonKeys(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        let signature = AmazonSignature(keys: keys, region: "us-east-1")
        let fields = signature.fields(
            "GET", path: "/test.txt", host: "examplebucket.s3.amazonaws.com", headers: [.range: "bytes=0-9"],
            now: Date(timeIntervalSince1970: 1_369_353_600))
        #expect(
            fields[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test("asks the server for the bucket and the key, and follows no redirect")
    func request() async throws {
        let network = ScriptedTransport()
        let address = try #require(URL(string: "http://minio:9000/base/b/a%20%2B%C3%BC/c.jpg"))
        network.script(address, .init(body: [.piece(Data("image".utf8))]))
        let settings = try await unsignedSettings([
            "--bucket-access-key", "key", "--bucket-secret-key", "secret", "--bucket-endpoint",
            "http://minio:9000/base/", "--bucket-region", "eu-central-1",
        ])
        let transport = try #require(settings.bucketServers.first).transport(over: network) {
            Date(timeIntervalSince1970: 1_369_353_600)
        }
        let url = try #require(URL(webAddress: "s3://b/a%20+ü/c.jpg"))
        let response = try await transport.send(TransportRequest(url: url))
        #expect(response.head.url == url)
        // As botocore 1.44 signs it.
        #expect(
            network.requests.first?.headers[.authorization]
                == "AWS4-HMAC-SHA256 Credential=key/20130524/eu-central-1/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
                + "Signature=d74d5edeb19066feac5897ee9d717c0543b11d9aabdeaae082c069b76e7204f9")
        #expect(try await response.body.collected(expectedByteCount: nil, byteLimit: 100) == Data("image".utf8))
        #expect(settings.originRules.bucketSchemes == [.amazon])
        let other = try #require(URL(string: "http://minio:9000/base/b/a%FF/%2525"))
        network.script(other, .status(.notFound))
        _ = try await transport.send(TransportRequest(url: try #require(URL(webAddress: "s3://b/a%FF/%2525"))))
        #expect(network.requests.last?.url == other, "the bytes checked")
        network.script(address, .status(.found, headers: [.location: "http://elsewhere/"]))
        #expect(try await transport.send(TransportRequest(url: url)).head.status == .found)
    }

    @Test("a query is the ID of a version, and nothing else is asked for with the server's rights")
    func versions() async throws {
        let network = ScriptedTransport()
        let settings = try await unsignedSettings([
            "--bucket-access-key", "key", "--bucket-secret-key", "secret", "--bucket-endpoint", "http://minio:9000/",
        ])
        let transport = try #require(settings.bucketServers.first).transport(over: network) {
            Date(timeIntervalSince1970: 1_369_353_600)
        }
        let version = try #require(URL(string: "http://minio:9000/b/k?versionId=3L4kq.tJ-_~"))
        network.script(version, .status(.ok))
        var request = TransportRequest(url: try #require(URL(webAddress: "s3://b/k?3L4kq.tJ-_~")))
        // Stays here.
        request.headers[OriginalClient.identityField] = "client"
        _ = try await transport.send(request)
        let sent = try #require(network.requests.first)
        #expect(sent.headers[OriginalClient.identityField] == nil)
        // As botocore 1.43 signs it.
        let signed = "77fb80ec33d2012cc23145ea711557c3f2d46db938caf8fc394e2fc5235958de"
        #expect(sent.headers[.authorization]?.hasSuffix(signed) == true)
        let rules = settings.originRules
        try rules.check(#require(URL(string: "s3://b/k?acl")))
        let long = String(repeating: "a", count: 1_024)
        try rules.check(#require(URL(string: "s3://b/k?\(long)")))
        for query in ["", "list-type=2", "versionId=1", "acl&x", "a%3Db", "a+b", "ä", "a/b", long + "a"] {
            let url = try #require(URL(string: "s3://b/k?\(query)", encodingInvalidCharacters: true))
            #expect(throws: OriginRefusal.bucketQuery, "\(query)") { try rules.check(url) }
        }
    }

    @Test("an address of Amazon has the region, and keys of the environment need a setting")
    func variables() async throws {
        let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]
        let regions: [([String: String], String)] = [
            (["IMGPROXY_S3_REGION": "eu-x", "AWS_REGION": "eu-y"], "eu-x.amazonaws.com"),
            (["AWS_REGION": "eu-y", "AWS_DEFAULT_REGION": "eu-z"], "eu-y.amazonaws.com"),
            (["AWS_DEFAULT_REGION": "eu-z"], "eu-z.amazonaws.com"), ([:], "us-east-1.amazonaws.com"),
            (["AWS_REGION": "cn-north-1"], "cn-north-1.amazonaws.com.cn"),
            (["AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-z", "AWS_ENDPOINT_URL_STS": ""], "eu-z.amazonaws.com"),
            (["AWS_REGION": "", "AWS_DEFAULT_REGION": ""], "us-east-1.amazonaws.com"),
        ]
        for (variables, host) in regions {
            let environment = keys.merging(variables) { $1 }.merging(["IMGPROXY_USE_S3": "1"]) { $1 }
            let server = try #require(try await unsignedSettings([], environment).bucketServers.first)
            #expect(server.endpoint.absoluteString == "https://s3.\(host)/")
            guard case .amazon(let account) = server.rights else { continue }
            #expect(account.tokens.absoluteString == "https://sts.\(host)/")
        }
        #expect(try await unsignedSettings([], keys).bucketServers.isEmpty)
    }
}
