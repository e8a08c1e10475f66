"""Loads sources from an S3 server that verifies signatures, and compares each signature with that of botocore.

The keys are those of a user, of a role that it assumes, of a role for a token, and of a virtual machine.
"""

import base64
import http.server
import io
import re
import sys
import tempfile
import threading
from urllib.parse import quote

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from PIL import Image

from processes import Process, free_port, get

KEYS = [
    "plain.png", "with space.png", "plus+sign.png", "ünï/ço dé.png", "日本/写真.png", "a=b&c;d,e.png", "q?mark#hash.png",
    "percent%20.png", "(par)'ens!*@.png", "~tilde/$dollar:colon.png", "twice//slash.png", "[b]{c}|^.png",
]
failures = []


def expect(name, actual, wanted):
    print(f"{'ok  ' if actual == wanted else 'FAIL'} {name}: {actual}" + ("" if actual == wanted else f", not {wanted}"))
    if actual != wanted:
        failures.append(name)


def picture(width):
    data = io.BytesIO()
    Image.new("RGB", (width, 4), "red").save(data, "PNG")
    return data.getvalue()


def server(binary, endpoint, region, access, secret, *more, environment={}):
    """Starts the image server. Without an access key, the keys are those of the environment."""
    port = free_port()
    flags = {"port": port, "allow-unsigned": "true", "bucket-endpoint": endpoint, "bucket-region": region}
    flags |= {"bucket-access-key": access, "bucket-secret-key": secret} if access else {"s3": "true"}
    return Process([binary, *[f"--{name}={value}" for name, value in flags.items()], *more], port, environment=environment)


def source(key):
    return "s3://pictures/" + quote(key, safe="/!$&'()*+,;=:@~")


def size(server, key):
    text = base64.urlsafe_b64encode(source(key).encode()).decode().rstrip("=")
    status, fields, _ = get(server.port, f"/_/f:png/{text}")
    return fields.get("x-result-size", status)


def against_moto(binary):
    port = free_port()
    # After these actions, moto verifies signatures.
    actions = 6 + len(KEYS)
    with Process(["moto_server", "-p", port], port, environment={"INITIAL_NO_AUTH_ACTION_COUNT": str(actions)}):
        endpoint, region = f"http://127.0.0.1:{port}", "eu-west-1"
        one = dict(endpoint_url=endpoint, region_name=region, aws_access_key_id="a", aws_secret_access_key="b")
        iam = boto3.client("iam", **one)
        iam.create_user(UserName="reader")
        policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:*","sts:*"],"Resource":"*"}]}'
        iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=policy)
        pair = iam.create_access_key(UserName="reader")["AccessKey"]
        access, secret = pair["AccessKeyId"], pair["SecretAccessKey"]
        arn = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=policy)["Role"]["Arn"]
        iam.put_role_policy(RoleName="reader", PolicyName="all", PolicyDocument=policy)
        s3 = boto3.client("s3", config=Config(s3={"addressing_style": "path"}), **one)
        s3.create_bucket(Bucket="pictures", CreateBucketConfiguration={"LocationConstraint": region})
        for index, key in enumerate(KEYS):
            s3.put_object(Bucket="pictures", Key=key, Body=picture(10 + index))
        with server(binary, endpoint, region, access, secret) as own:
            for index, key in enumerate(KEYS):
                expect(f"moto: {key}", size(own, key), f"{10 + index}x4")
            expect("moto: a missing key", size(own, "missing.png"), 404)
        with server(binary, endpoint, region, access, secret, "--allowed-sources", "s3://pictures/日本/") as own:
            expect("moto: a key below the allowed prefix", size(own, KEYS[4]), "14x4")
            expect("moto: a key elsewhere", size(own, KEYS[0]), 403)
        with server(binary, endpoint, region, access, secret + "x") as own:
            expect("moto: a wrong secret", size(own, KEYS[0]), 404)
        tokens = {"AWS_ENDPOINT_URL_STS": endpoint}
        with server(binary, endpoint, region, access, secret, f"--bucket-role={arn}", environment=tokens) as own:
            expect("moto: a role that a user assumes", size(own, KEYS[0]), "10x4")


def against_unverified_moto(binary):
    """Keys that need none, of a virtual machine and of a role for a token. This server verifies no signatures."""
    port = free_port()
    with Process(["moto_server", "-p", port], port):
        endpoint = f"http://127.0.0.1:{port}"
        s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
        s3.create_bucket(Bucket="pictures")
        s3.put_object(Bucket="pictures", Key=KEYS[0], Body=picture(10))
        metadata = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": endpoint}
        with server(binary, endpoint, "us-east-1", None, None, environment=metadata) as own:
            expect("moto: the role of a virtual machine", size(own, KEYS[0]), "10x4")
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("token")
            file.flush()
            role = {"AWS_ENDPOINT_URL_STS": endpoint, "AWS_WEB_IDENTITY_TOKEN_FILE": file.name}
            role["AWS_ROLE_ARN"] = "arn:aws:iam::123456789012:role/reader"
            with server(binary, endpoint, "us-east-1", None, None, environment=role) as own:
                expect("moto: a role for a token", size(own, KEYS[0]), "10x4")


def against_botocore(binary):
    requests = []

    class Recorder(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append((self.path, self.headers))
            self.send_error(404)

        def log_message(self, *_):
            pass

    recorder = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=recorder.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{recorder.server_port}"
    for region in ["us-east-1", "eu-central-2"]:
        with server(binary, address, region, "AKID", "se/cr+et") as own:
            for key in KEYS:
                size(own, key)
                path, fields = requests[-1]
                expect(f"path in {region}: {key}", path, "/pictures/" + quote(key, safe="/~"))
                names = ["x-amz-content-sha256", "x-amz-date"]
                request = AWSRequest("GET", address + path, {name: fields[name] for name in names})
                request.context["timestamp"] = fields["x-amz-date"]
                auth = S3SigV4Auth(Credentials("AKID", "se/cr+et"), "s3", region)
                text = auth.string_to_sign(request, auth.canonical_request(request))
                own_signature = re.search("Signature=(.*)", fields["authorization"])[1]
                expect(f"signature in {region}: {key}", own_signature, auth.signature(text, request))
                scope = f"Credential={auth.scope(request)}"
                expect(f"scope in {region}: {key}", scope in fields["authorization"], True)


against_moto(sys.argv[1])
against_unverified_moto(sys.argv[1])
against_botocore(sys.argv[1])
sys.exit(f"{len(failures)} differ: {', '.join(failures)}" if failures else 0)
