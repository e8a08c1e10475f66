import Foundation
import ImageCore
import ImageTransporting

/// Buckets at one provider: their address, and what proves that this server may read them.
struct BucketServer: Sendable {
    let scheme: BucketScheme
    let endpoint: URL
    let rights: Rights

    enum Rights: Sendable {
        case amazon(AmazonAccount)
        case google(GoogleKey)
        case azure(account: String, AzureSigner.Secret)
    }

    /// Returns the transport of the sources in the buckets.
    func transport(over network: any DataTransport, now: @escaping @Sendable () -> Date) -> BucketTransport {
        let service = KeyService(network: network)
        let signer: any BucketSigning =
            switch rights {
            case .amazon(let loader): AmazonSigner(loader, service, now: now)
            case .google(let key): GoogleSigner(key, service, now: now)
            case .azure(let account, let secret): AzureSigner(account: account, secret: secret, now: now)
            }
        return BucketTransport(network: network, scheme: scheme, endpoint: endpoint, signer: signer)
    }

    /// Throws if only this machine can have keys, and it has none.
    func checkKeys(over network: any DataTransport, now: @Sendable () -> Date) async throws(SettingsFailure) {
        guard case .amazon(let account) = rights, account.source.isOfInstance else { return }
        do {
            _ = try await account.keys(from: account.source, KeyService(network: network), now())
        } catch {
            throw .invalid("s3", "there are neither keys nor a role for these sources: \(error)")
        }
    }
}

extension SettingValues {
    /// Returns the servers of buckets that the settings have rights for.
    ///
    /// - Parameter environment: Has the variables by which Amazon gives roles to programs. An empty one is missing.
    func bucketServers(_ environment: [String: String]) throws(SettingsFailure) -> [BucketServer] {
        let environment = environment.filter { !$0.value.isEmpty }
        let servers = [try amazon(environment), try google(environment), try azure()]
        return servers.compactMap(\.self)
    }

    private func amazon(_ environment: [String: String]) throws(SettingsFailure) -> BucketServer? {
        guard self.s3 || self.bucketAccessKey != nil || self.bucketSecretKey != nil || self.bucketRole != nil else {
            return nil
        }
        let region =
            self.bucketRegion ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1"
        var source: AmazonKeySource
        if let accessKey = self.bucketAccessKey {
            guard let secretKey = self.bucketSecretKey else { throw .invalid("bucketSecretKey", "it is missing") }
            source = .keys(
                AmazonKeys(accessKey: accessKey, secretKey: secretKey, sessionToken: self.bucketSessionToken))
        } else if self.bucketSecretKey != nil {
            throw .invalid("bucketAccessKey", "it is missing")
        } else {
            source = try amazonSource(environment)
        }
        if let role = self.bucketRole {
            source = .assumed(role: role, externalID: self.bucketRoleExternalId, by: source)
        }
        let suffix = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let tokens = environment["AWS_ENDPOINT_URL_STS"] ?? "https://sts.\(region).\(suffix)/"
        return BucketServer(
            scheme: .amazon,
            endpoint: try address(self.bucketEndpoint ?? "https://s3.\(region).\(suffix)", "bucketEndpoint"),
            rights: .amazon(
                AmazonAccount(source: source, region: region, tokens: try address(tokens, "AWS_ENDPOINT_URL_STS"))))
    }

    /// Returns where this program has keys from, looked for in the order of Amazon's own tools.
    private func amazonSource(_ environment: [String: String]) throws(SettingsFailure) -> AmazonKeySource {
        func variable(_ name: String) -> String? { environment["AWS_" + name] }
        if let accessKey = variable("ACCESS_KEY_ID"), let secretKey = variable("SECRET_ACCESS_KEY") {
            return .keys(
                AmazonKeys(accessKey: accessKey, secretKey: secretKey, sessionToken: variable("SESSION_TOKEN")))
        }
        if let role = variable("ROLE_ARN"), let file = variable("WEB_IDENTITY_TOKEN_FILE") {
            return .webIdentity(role: role, tokenFile: file)
        }
        let relative = variable("CONTAINER_CREDENTIALS_RELATIVE_URI").map { "http://169.254.170.2\($0)" }
        if let text = relative ?? variable("CONTAINER_CREDENTIALS_FULL_URI") {
            return .container(
                try address(text, "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
                token: variable("CONTAINER_AUTHORIZATION_TOKEN"),
                tokenFile: variable("CONTAINER_AUTHORIZATION_TOKEN_FILE"))
        }
        guard variable("EC2_METADATA_DISABLED")?.lowercased() != "true" else {
            throw .invalid("s3", "there are neither keys nor a role for these sources")
        }
        let text = variable("EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
        return .instance(try address(text, "AWS_EC2_METADATA_SERVICE_ENDPOINT"))
    }

    private func google(_ environment: [String: String]) throws(SettingsFailure) -> BucketServer? {
        guard let text = self.googleKey ?? (self.gs ? environment["GOOGLE_APPLICATION_CREDENTIALS"] : nil) else {
            guard !self.gs else { throw .invalid("gs", "there is no key for these sources") }
            return nil
        }
        let content = text.hasPrefix("{") ? text : try SettingsFile.text(of: text)
        guard let key = try? GoogleKey(content) else {
            throw .invalid("googleKey", "it is no key of a service account in JSON")
        }
        return BucketServer(
            scheme: .google,
            endpoint: try address(self.googleEndpoint ?? "https://storage.googleapis.com", "googleEndpoint"),
            rights: .google(key))
    }

    private func azure() throws(SettingsFailure) -> BucketServer? {
        guard let account = self.azureAccount else {
            guard self.azureKey == nil, self.azureSas == nil else { throw .invalid("azureAccount", "it is missing") }
            return nil
        }
        let secret: AzureSigner.Secret
        switch (self.azureKey.map { Data(base64Encoded: $0) }, self.azureSas) {
        case (let key??, nil): secret = .key(key)
        case (nil, let signature?): secret = .accessSignature(String(signature.drop { $0 == "?" }))
        case (.some(nil), _): throw .invalid("azureKey", "it is not Base64")
        default: throw .invalid("azureKey", "set either it or azureSas")
        }
        return BucketServer(
            scheme: .azure,
            endpoint: try address(self.azureEndpoint ?? "https://\(account).blob.core.windows.net", "azureEndpoint"),
            rights: .azure(account: account, secret))
    }

    private func address(_ text: String, _ name: String) throws(SettingsFailure) -> URL {
        guard let url = URL(webAddress: text), ["http", "https"].contains(url.scheme), url.host() != nil,
            url.query() == nil
        else { throw .invalid(name, "not the address of a server") }
        return url
    }
}
