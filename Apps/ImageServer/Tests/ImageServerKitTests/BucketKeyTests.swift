import CryptoExtras
import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@testable import ImageServerKit

/// The services are replaced by replies as their documentation has them.
@Suite("Keys for sources in buckets") final class BucketKeyTests: Sendable {
    private let network = ScriptedTransport()
    private let time = Mutex(Date(timeIntervalSince1970: 1_369_353_600))
    private var now: @Sendable () -> Date { { [self] in time.withLock { $0 } } }

    private static let expiration = "2013-05-24T01:00:00"
    private static let document =
        #"{"AccessKeyId":"AKID","SecretAccessKey":"secret","Token":"to+ken/=","Expiration":"\#(expiration)Z"}"#
    private static let element =
        "<R><AccessKeyId>AKID</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>"
        + "<SessionToken>to+ken/=</SessionToken><Expiration>\(expiration).000Z</Expiration></R>"

    private func script(_ text: String, _ reply: String) throws {
        network.script(try #require(URL(string: text)), .ok(Data(reply.utf8)))
    }

    /// Sends a request for an object, and returns what the server of the bucket receives.
    private func sent(
        _ source: String, _ settings: ServerSettings, _ headers: HTTPFields = [:]
    ) async throws -> TransportRequest {
        let server = try #require(settings.bucketServers.first)
        let transport = server.transport(over: network, now: now)
        do {
            _ = try await transport.send(TransportRequest(url: try #require(URL(string: source)), headers: headers))
        } catch TransportError.other(let text, _) where text.hasPrefix("unscripted") {
            // The object itself has no script.
        }
        return try #require(network.requests.last)
    }

    private struct Place: Sendable {
        var environment: [String: String]
        var arguments: [String] = []
        var replies: [(String, String)] = []
        /// The method and a header field of each request for keys.
        var requests: [String] = []
    }

    private static let places = [
        Place(
            environment: [
                "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "to+ken/=",
            ]),
        Place(
            environment: ["AWS_ROLE_ARN": "arn:r", "AWS_WEB_IDENTITY_TOKEN_FILE": "FILE"],
            replies: [("https://sts.eu-central-1.amazonaws.com/", element)],
            requests: [
                "POST Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Ar&WebIdentityToken=in-file"
                    + "&RoleSessionName=image-server&Version=2011-06-15"
            ]),
        Place(
            environment: ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t"],
            replies: [("http://169.254.170.2/v2/x", document)], requests: ["GET authorization: t"]),
        Place(
            environment: [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "FILE",
            ],
            replies: [("http://169.254.170.23/v1/credentials", document)], requests: ["GET authorization: in-file"]),
        Place(
            environment: [:],
            replies: [
                ("http://169.254.169.254/latest/api/token", "tok"),
                ("http://169.254.169.254/latest/meta-data/iam/security-credentials/", "reader\n"),
                ("http://169.254.169.254/latest/meta-data/iam/security-credentials/reader", document),
            ],
            requests: [
                "PUT x-aws-ec2-metadata-token-ttl-seconds: 21600", "GET x-aws-ec2-metadata-token: tok",
                "GET x-aws-ec2-metadata-token: tok",
            ]),
        Place(
            environment: [
                "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_ENDPOINT_URL_STS": "http://sts:8000", "IMGPROXY_S3_ASSUME_ROLE_EXTERNAL_ID": "x",
                "IMGPROXY_S3_ASSUME_ROLE_ARN": "arn:aws:iam::1:role/reader",
            ],
            replies: [("http://sts:8000/", element)],
            requests: [
                // As botocore 1.43 signs it.
                "POST c2f3e3881fdd2b3ee02272a1b26658b244e365125b6dfc361131624e0f7cf920"
            ]),
    ]

    @Test("keys of Amazon are from the first place that has them", arguments: places.indices)
    func places(index: Int) async throws {
        let place = Self.places[index]
        let file = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("in-file\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var environment = place.environment.mapValues { $0 == "FILE" ? file.path : $0 }
        environment["IMGPROXY_USE_S3"] = "true"
        environment["AWS_REGION"] = "eu-central-1"
        for (url, reply) in place.replies { try script(url, reply) }
        let settings = try await unsignedSettings(["--bucket-endpoint", "http://minio:9000"], environment)
        let object = try await sent("s3://b/k", settings)
        #expect(object.url.absoluteString == "http://minio:9000/b/k")
        // As botocore 1.43 signs it.
        let signed = "64f7d68c2736eb6ee863a474427f5b1f9b4a46892dafea4e805fae2603b0a750"
        #expect(object.headers[.authorization]?.hasSuffix(signed) == true, "\(object.headers)")
        let requests = network.requests.dropLast()
        #expect(requests.map(\.url.absoluteString) == place.replies.map(\.0))
        for (request, expected) in zip(requests, place.requests) {
            let fields = request.headers.map { "\($0.name.canonicalName): \($0.value)" }
            let all = ([String(decoding: request.body ?? Data(), as: UTF8.self)] + fields).joined(separator: "\n")
            let (method, text) = (expected.prefix { $0 != " " }, expected.drop { $0 != " " }.dropFirst())
            #expect(request.method.rawValue == method && all.contains(text), "\(all)")
        }
        #expect(requests.count == place.requests.count)
    }

    @Test("a default port is neither sent nor signed")
    func defaultPorts() async throws {
        let role = [
            "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "IMGPROXY_S3_ASSUME_ROLE_ARN": "arn:r",
        ]
        var signatures: Set<[String?]> = []
        for (scheme, port) in [("http", ""), ("http", ":80"), ("https", ":443")] {
            let tokens = "\(scheme)://sts\(port)/"
            try script(tokens, Self.element)
            let settings = try await unsignedSettings(
                ["--bucket-endpoint", "\(scheme)://minio\(port)"],
                role.merging(["AWS_ENDPOINT_URL_STS": tokens]) { $1 })
            #expect(try await sent("s3://b/k", settings).url.absoluteString == "\(scheme)://minio/b/k")
            signatures.insert(network.requests.suffix(2).map { $0.headers[.authorization] })
        }
        #expect(signatures.count == 1)
        let keys = ["--bucket-access-key", "a", "--bucket-secret-key", "b", "--bucket-endpoint", "http://[::1]:443"]
        let object = try await sent("s3://b/k", unsignedSettings(keys))
        #expect(object.url.absoluteString == "http://[::1]:443/b/k")
    }

    @Test("keys are renewed before they expire, once for all that wait, and used until then if that fails")
    func renewal() async throws {
        let gate = TestGate()
        let loads = Mutex(0)
        let failing = Mutex(false)
        let renewed = Renewed(now: now) { [now] in
            let number = loads.withLock { count in
                count += 1
                return count
            }
            await gate.pass()
            if failing.withLock({ $0 }) { throw TransportError.connectionFailed("") }
            return Expiring(value: number, end: now().addingTimeInterval(1_000))
        }
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await renewed.value() } }
            await gate.waitForArrivals(1)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 10))
        time.withLock { $0 += 799 }
        #expect(try await renewed.value() == 1 && loads.withLock { $0 } == 1)
        time.withLock { $0 += 2 }
        failing.withLock { $0 = true }
        #expect(try await renewed.value() == 1 && loads.withLock { $0 } == 2)
        failing.withLock { $0 = false }
        #expect(try await renewed.value() == 3)
        failing.withLock { $0 = true }
        time.withLock { $0 += 1_001 }
        await #expect(throws: TransportError.connectionFailed("")) { try await renewed.value() }
    }

    @Test("a token of Google is asked for with a signed assertion, and sent with all requests until it expires")
    func google() async throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let file = [
            "client_email": "reader@p", "token_uri": "https://oauth2.test/token", "private_key": key.pemRepresentation,
        ]
        let text = String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
        try script("https://oauth2.test/token", #"{"access_token":"ya29","expires_in":3599,"token_type":"Bearer"}"#)
        let settings = try await unsignedSettings(["--google-key", text])
        #expect(settings.originRules.bucketSchemes == [.google])
        let object = try await sent("gs://b/a%20b/c.jpg?17", settings)
        #expect(object.url.absoluteString == "https://storage.googleapis.com/b/a%20b/c.jpg?generation=17")
        #expect(object.headers[.authorization] == "Bearer ya29")
        let form = String(decoding: network.requests[0].body ?? Data(), as: UTF8.self).split(separator: "=")
        #expect(form[1].hasPrefix("urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"))
        let parts = form[2].split(separator: ".")
        let document = try #require(Base64URL.decode(parts[1]))
        let claims = try #require(JSONSerialization.jsonObject(with: document) as? [String: Any])
        #expect(claims["iss"] as? String == "reader@p" && claims["aud"] as? String == file["token_uri"])
        #expect(claims["exp"] as? Int == 1_369_357_200)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Base64URL.decode(parts[2])))
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        #expect(key.publicKey.isValidSignature(signature, for: signed, padding: .insecurePKCS1v1_5))
    }

    @Test("requests to Azure have a shared access signature, or are signed with the key of the account")
    func azure() async throws {
        let settings = try await unsignedSettings(["--azure-account", "photos"], ["IMGPROXY_ABS_KEY": "c2VjcmV0"])
        let object = try await sent("abs://c/a%20b/%C3%BC.jpg", settings, [.ifNoneMatch: "\"1\""])
        #expect(object.url.absoluteString == "https://photos.blob.core.windows.net/c/a%20b/%C3%BC.jpg")
        // As azure-storage-blob 12.31 signs it.
        let signed = "SharedKey photos:M/rl66geq4J0X26hGerHQlZUrSZub6qBY0fOc0frz5s="
        #expect(object.headers[.authorization] == signed)
        let other = try await unsignedSettings(["--azure-account", "photos", "--azure-sas", "?sv=2022-11-02&sig=a%3D"])
        let shared = try await sent("abs://c/a.jpg", other)
        #expect(shared.url.absoluteString.hasSuffix("/c/a.jpg?sv=2022-11-02&sig=a%3D"))
        #expect(shared.headers[.authorization] == nil)
        #expect(throws: OriginRefusal.bucketQuery) { try other.originRules.check(#require(URL(string: "abs://c/a?1"))) }
    }

    @Test("settings of buckets that contradict each other, or without any keys, are errors at the start")
    func contradictions() async throws {
        for (arguments, name) in [
            (["--bucket-access-key", "a"], "bucketSecretKey"), (["--bucket-secret-key", "a"], "bucketAccessKey"),
            (["--gs", "true"], "gs"), (["--google-key", "{}"], "googleKey"), (["--azure-key", "YQ=="], "azureAccount"),
            (["--azure-account", "a"], "azureKey"), (["--azure-account", "a", "--azure-key", "?"], "azureKey"),
            (["--azure-account", "a", "--azure-key", "YQ==", "--azure-sas", "s"], "azureKey"),
            (["--s3", "true", "--bucket-endpoint", "minio:9000"], "bucketEndpoint"),
        ] {
            await #expect("\(arguments)") {
                try await unsignedSettings(arguments)
            } throws: { error in
                if case .invalid(name, _)? = error as? SettingsFailure { true } else { false }
            }
        }
        await #expect(throws: SettingsFailure.self) {
            try await unsignedSettings(["--s3", "true"], ["AWS_EC2_METADATA_DISABLED": "true"])
        }
        await #expect(throws: SettingsFailure.invalid("gs", "there is no key for these sources")) {
            try await unsignedSettings(["--gs", "true"], ["GOOGLE_APPLICATION_CREDENTIALS": ""])
        }
        for arguments in [["--s3", "true"], ["--bucket-role", "arn:r"]] {
            let instance = try #require(await unsignedSettings(arguments).bucketServers.first)
            await #expect(throws: SettingsFailure.self) { try await instance.checkKeys(over: network, now: now) }
        }
        let keys = ["--bucket-access-key", "a", "--bucket-secret-key", "b"]
        try await unsignedSettings(keys).bucketServers.first?.checkKeys(over: network, now: now)
    }

    @Test("only the buckets of the list are read, of the schemes that it has")
    func allowedBuckets() async throws {
        let keys = ["--bucket-access-key", "a", "--bucket-secret-key", "b", "--azure-account", "a", "--azure-sas", "s"]
        let rules = try await unsignedSettings(keys, ["IMGPROXY_S3_ALLOWED_BUCKETS": "photos, more"]).originRules
        for (text, isAllowed) in [
            ("s3://photos/a", true), ("s3://more/a", true), ("s3://other/a", false), ("abs://other/a", true),
            ("http://example.com/a", true), ("gs://photos/a", false),
        ] {
            let url = try #require(URL(string: text))
            #expect(((try? rules.check(url)) != nil) == isAllowed, "\(text)")
        }
    }
}
