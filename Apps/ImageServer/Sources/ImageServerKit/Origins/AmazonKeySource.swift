import Foundation
import HTTPTypes
import ImageTransporting

/// Where the keys of S3 sources are from.
indirect enum AmazonKeySource: Sendable {
    /// Keys of the settings.
    case keys(AmazonKeys)
    /// A role that a token in a file stands for, as in pods (STS, AssumeRoleWithWebIdentity).
    case webIdentity(role: String, tokenFile: String)
    /// The service of a container or a pod (ECS, EKS Pod Identity). The token may change.
    case container(URL, token: String?, tokenFile: String?)
    /// The role of a virtual machine (EC2 instance metadata, version 2).
    case instance(URL)
    /// Another role, which the first one may assume (STS, AssumeRole).
    case assumed(role: String, externalID: String?, by: AmazonKeySource)

    /// Whether the keys come from the virtual machine in the end.
    var isOfInstance: Bool {
        switch self {
        case .instance: true
        case .assumed(_, _, let base): base.isOfInstance
        default: false
        }
    }
}

/// An account or a role at Amazon.
struct AmazonAccount: Sendable {
    let source: AmazonKeySource
    let region: String
    /// The address of the Security Token Service.
    let tokens: URL

    /// Returns the keys that a source has now.
    func keys(
        from source: AmazonKeySource, _ service: KeyService, _ now: Date
    ) async throws -> Expiring<AmazonKeys> {
        switch source {
        case .keys(let keys): return Expiring(value: keys)
        case .webIdentity(let role, let file):
            let form = [
                ("Action", "AssumeRoleWithWebIdentity"), ("RoleArn", role), ("WebIdentityToken", try token(in: file)),
            ]
            return try await assumed(form, service) { _ in [:] }
        case .container(let url, var token, let file):
            if let file { token = try self.token(in: file) }
            return try document(await service.body(url, .get, token.map { [.authorization: $0] } ?? [:]))
        case .instance(let url): return try await instanceKeys(url, service)
        case .assumed(let role, let externalID, let base):
            let keys = try await keys(from: base, service, now).value
            var form = [("Action", "AssumeRole"), ("RoleArn", role)]
            if let externalID { form.append(("ExternalId", externalID)) }
            let signature = AmazonSignature(keys: keys, region: region, service: "sts")
            let path = tokens.path(percentEncoded: true)
            return try await assumed(form, service) { body in
                signature.fields("POST", path: path.isEmpty ? "/" : path, host: tokens.hostField, body: body, now: now)
            }
        }
    }

    private func instanceKeys(_ url: URL, _ service: KeyService) async throws -> Expiring<AmazonKeys> {
        let token = try await service.body(
            url.appending(path: "latest/api/token"), .put, [Self.tokenLifetime: "21600"])
        let fields: HTTPFields = [Self.token: String(decoding: token, as: UTF8.self)]
        let roles = url.appending(path: "latest/meta-data/iam/security-credentials/")
        let role = String(decoding: try await service.body(roles, .get, fields), as: UTF8.self).prefix { !$0.isNewline }
        return try document(await service.body(roles.appending(path: role), .get, fields))
    }

    private func assumed(
        _ form: [(String, String)], _ service: KeyService, signed: (String) -> HTTPFields
    ) async throws -> Expiring<AmazonKeys> {
        let all = form + [("RoleSessionName", "image-server"), ("Version", "2011-06-15")]
        let body = try await service.body(tokens, form: all, signed: signed)
        let text = String(decoding: body, as: UTF8.self)
        return try Document(
            accessKey: text.element("AccessKeyId"), secretKey: text.element("SecretAccessKey"),
            token: text.element("SessionToken"), expiration: text.element("Expiration")
        ).keys()
    }

    private func token(in file: String) throws(SettingsFailure) -> String { try SettingsFile.text(of: file).trimmed }

    private func document(_ body: Data) throws -> Expiring<AmazonKeys> {
        try JSONDecoder().decode(Document.self, from: body).keys()
    }

    private struct Document: Decodable {
        let accessKey, secretKey, token, expiration: String?

        enum CodingKeys: String, CodingKey {
            case accessKey = "AccessKeyId"
            case secretKey = "SecretAccessKey"
            case token = "Token"
            case expiration = "Expiration"
        }

        func keys() throws(TransportError) -> Expiring<AmazonKeys> {
            // Some services add milliseconds.
            let end = expiration.flatMap { try? Date($0.prefix { $0 != "." && $0 != "Z" } + "Z", strategy: .iso8601) }
            guard let accessKey, let secretKey, let token, let end else { throw .other("no temporary keys of Amazon") }
            let keys = AmazonKeys(accessKey: accessKey, secretKey: secretKey, sessionToken: token)
            return Expiring(value: keys, end: end)
        }
    }

    private static let tokenLifetime = HTTPField.Name("X-aws-ec2-metadata-token-ttl-seconds") ?? .via
    private static let token = HTTPField.Name("X-aws-ec2-metadata-token") ?? .via
}

extension String {
    /// The text of the first element of a document with this name, which has no entities; nil if there is none.
    fileprivate func element(_ name: String) -> String? {
        guard let start = firstRange(of: "<\(name)>")?.upperBound else { return nil }
        return String(self[start...].prefix { $0 != "<" })
    }
}
